import { formatCompositeId, type ChainId, type LocalId } from '../model/compositeId.ts'
import type { ChainStatus } from '../model/chainState.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import { namedPointers } from '../model/namedPointers.ts'
import { endOf, everyAttestation, type AttestationFilter } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { RowPlace, StoredAttestation } from '../store/storedRecords.ts'
import type { ContentStore, NotedPointer } from './contentStore.ts'

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
  readonly reader: Pick<IndexReader, 'listChains' | 'sliceAttestations'>
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
 * Walks the records of all chains that may name content, from where the last walk was sure, and notes what they name.
 * Content belongs to its identifier: of a record that a reorganisation takes back nothing has to go.
 */
export function createDiscovery(sources: DiscoverySources): (stop: AbortSignal) => Promise<void> {
  const reached = new Map<string, Reached>()
  return async (stop) => {
    for (const { status } of await sources.reader.listChains()) {
      for (const walk of walksOf(status)) await walkRecords(sources, status, walk, reached, stop)
    }
  }
}

interface RecordWalk {
  /** Its name in the store. */
  readonly location: string
  readonly filter: AttestationFilter
}

function walksOf({ chainId, protocols }: ChainStatus): readonly RecordWalk[] {
  const walks: Readonly<Record<string, Partial<AttestationFilter>>> = {
    IPFS: { protocol: 'sign', dataLocation: 'IPFS' },
    ARWEAVE: { protocol: 'sign', dataLocation: 'ARWEAVE' },
    eas: { protocol: 'eas' },
    verax: { protocol: 'verax', schema: { chainId, localId: veraxElsewhere, protocol: 'verax' } },
    erc8004: { protocol: 'erc8004' },
  }
  return Object.entries(walks).flatMap(([location, members]) =>
    protocols.some((protocol) => protocol === members.protocol)
      ? [{ location, filter: { ...everyAttestation, chainId, ...members } }]
      : [],
  )
}

async function walkRecords(
  { reader, store, decodePayload, now }: DiscoverySources,
  { chainId, indexedTimestamp }: ChainStatus,
  { location, filter }: RecordWalk,
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
    const slice = await reader.sliceAttestations(
      { filter, order: 'oldestFirst', after, limit },
      { detail: true, schema: true },
    )
    const pointers = slice.rows.flatMap((row) => pointersOf(row, decodePayload))
    const end = endOf(slice)
    after = end ?? after
    if (end !== null && end.timestamp < sure) saved = end
    if (pointers.length > 0 || saved !== noted) {
      await store.note(pointers, { chainId, location, place: saved }, now())
      noted = saved
    }
    hasMore = slice.hasMore && end !== null
  }
  reached.set(name, { place: after, againAtMs: isFresh ? before.againAtMs : now() + againEveryMs })
}

function beginningOf(chainId: ChainId): RowPlace {
  return { timestamp: 0, chainId, position: 0 }
}

/** What the payload of a record names. */
function pointersOf(attestation: StoredAttestation, decodePayload: DecodePayload): readonly NotedPointer[] {
  const { key, schema } = attestation
  const { chainId, protocol, localId } = key
  const schemaId = schema === null ? '' : formatCompositeId(schema.key)
  return namedPointers(attestation, decodePayload).map(({ pathText, text, pointer }) => {
    return { key: pointer?.key ?? null, record: { chainId, protocol, localId }, schemaId, pathText, text }
  })
}
