import { agentProtocol } from '@attestry/core/model/agents.ts'
import { parseFilePointer } from '@attestry/core/model/contentPointer.ts'
import { formatCompositeId, type ChainId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { namedPointers } from '@attestry/core/model/namedPointers.ts'
import { endOf, everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { ContentStore, NotedPointer, NotedPointers } from './contentStore.ts'

/**
 * The newest records of a chain may be replaced by a reorganisation: they are walked again until they are this much
 * older than the newest block, in seconds of the chain.
 */
const marginSeconds = 1_800

/** How often they are walked again, in milliseconds. */
const againEveryMs = 60_000

/** Rows that are read at once. */
const limit = 500

/** The schema of Verax whose payloads say where a payload of another schema is. */
const veraxElsewhere = '0xa288e257097a4bed4166c002cb6911713edacc88e30b6cb2b0104df9c365327d' as LocalId

export interface DiscoverySources {
  readonly reader: Pick<IndexReader, 'listChains' | 'sliceAttestations' | 'sliceAgentUris'>
  readonly store: Pick<ContentStore, 'findWalk' | 'note'>
  readonly decodePayload: DecodePayload
  readonly now: () => number
}

/** How far a walk got that has not to be repeated yet. */
interface Reached {
  readonly place: RowPlace
  readonly againAtMs: number
}

/**
 * Walks the records and agents of all chains that may name content, from where the last walk was sure, and notes the
 * content that they name. Content belongs to its identifier: nothing has to go with a reverted record.
 */
export function createDiscovery(sources: DiscoverySources): (stop: AbortSignal) => Promise<void> {
  const reached = new Map<string, Reached>()
  return async (stop) => {
    for (const { status } of await sources.reader.listChains()) {
      for (const walk of walksOf(sources, status)) await walkRecords(sources, status, walk, reached, stop)
    }
  }
}

/** A list in which content is named, oldest first. */
interface Walk {
  /** Its name in the store. */
  readonly location: string
  readonly read: (after: RowPlace) => Promise<WalkedPart>
}

interface WalkedPart extends NotedPointers {
  readonly end: RowPlace | null
  readonly hasMore: boolean
}

/** Another number has everything walked again: it grows when texts are read as pointers that were not before. */
const nameOf = (list: string) => `${list} 2`

function walksOf({ reader, decodePayload }: DiscoverySources, status: ChainStatus): readonly Walk[] {
  const { chainId, protocols } = status
  const walks: Readonly<Record<string, Partial<AttestationFilter>>> = {
    IPFS: { protocol: 'sign', dataLocation: 'IPFS' },
    ARWEAVE: { protocol: 'sign', dataLocation: 'ARWEAVE' },
    CUSTOM: { protocol: 'sign', dataLocation: 'CUSTOM' },
    eas: { protocol: 'eas' },
    verax: { protocol: 'verax', schema: { chainId, localId: veraxElsewhere, protocol: 'verax' } },
    erc8004: { protocol: agentProtocol },
  }
  const ofRecords = Object.entries(walks).flatMap(([location, members]): Walk[] => {
    if (!protocols.some((protocol) => protocol === members.protocol)) return []
    const filter = { ...everyAttestation, chainId, ...members }
    const fields = { detail: true, schema: true }
    const read = async (after: RowPlace) => {
      const slice = await reader.sliceAttestations({ filter, order: 'oldestFirst', after, limit }, fields)
      const pointers = slice.rows.flatMap((row) => pointersOf(row, decodePayload))
      return { pointers, keys: [], end: endOf(slice), hasMore: slice.hasMore }
    }
    return [{ location: nameOf(location), read }]
  })
  const readAgents = async ({ position }: RowPlace) => {
    const slice = await reader.sliceAgentUris(chainId, position, limit)
    const keys = slice.rows.flatMap(({ uri, by }) => {
      const key = parseFilePointer(uri)?.key
      return key === undefined ? [] : [{ key, owner: by }]
    })
    return { pointers: [], keys, end: endOf(slice), hasMore: slice.hasMore }
  }
  return protocols.some((protocol) => protocol === agentProtocol)
    ? [...ofRecords, { location: nameOf('agents'), read: readAgents }]
    : ofRecords
}

async function walkRecords(
  { store, now }: DiscoverySources,
  { chainId, indexedTimestamp }: ChainStatus,
  { location, read }: Walk,
  reached: Map<string, Reached>,
  stop: AbortSignal,
): Promise<void> {
  const name = `${chainId} ${location}`
  const sure = (indexedTimestamp ?? 0) - marginSeconds
  let saved = (await store.findWalk(chainId, location)) ?? beginningOf(chainId)
  let noted = saved
  const before = reached.get(name)
  const isFresh = before !== undefined && now() < before.againAtMs
  let after = isFresh ? before.place : saved
  for (let hasMore = true; hasMore && !stop.aborted;) {
    const { pointers, keys, end, ...walked } = await read(after)
    after = end ?? after
    if (end !== null && end.timestamp < sure) saved = end
    if (pointers.length + keys.length > 0 || saved !== noted) {
      await store.note({ pointers, keys }, { chainId, location, place: saved }, now())
      noted = saved
    }
    hasMore = walked.hasMore && end !== null
  }
  reached.set(name, { place: after, againAtMs: isFresh ? before.againAtMs : now() + againEveryMs })
}

function beginningOf(chainId: ChainId): RowPlace {
  return { timestamp: 0, chainId, position: 0 }
}

/** The pointers in the payload of a record. */
function pointersOf(attestation: StoredAttestation, decodePayload: DecodePayload): readonly NotedPointer[] {
  const { key, schema, attester } = attestation
  const { chainId, protocol, localId } = key
  const schemaId = schema === null ? '' : formatCompositeId(schema.key)
  return namedPointers(attestation, decodePayload).map(({ pathText, text, pointer }) => {
    const record = { chainId, protocol, localId }
    return { key: pointer?.key ?? null, owner: attester, record, schemaId, pathText, text }
  })
}
