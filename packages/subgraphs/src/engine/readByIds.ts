import DataLoader from 'dataloader'
import { formatCompositeId, type LocalId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace, StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { Budget } from './budget.ts'
import type { ProtocolChain } from './serveDialect.ts'

/** Most keys of one read of the store. */
export const keysMax = 100

/** The loader of a request: it reads what it is asked for in one turn at once, in the order of the keys. */
export function createLoader<Key, Row>(
  read: (keys: readonly Key[]) => Promise<readonly Row[]>,
): DataLoader<Key, Row> {
  return new DataLoader(read, { maxBatchSize: keysMax })
}

/** All of the rows, in the order of the keys. */
export async function loadAll<Key, Row>(
  loader: Pick<DataLoader<Key, Row>, 'loadMany'>,
  keys: readonly Key[],
): Promise<readonly Row[]> {
  return (await loader.loadMany(keys)).map((row) => {
    if (row instanceof Error) throw row
    return row
  })
}

/** The parts of a request that reads by ids need. */
export interface ReadingById {
  readonly reader: PastReader
  /** The newest state: where an event stands has no past. */
  readonly newest: Pick<IndexReader, 'findEvent'>
  readonly chain: ProtocolChain
  readonly protocol: { readonly name: string }
  readonly budget: Budget
}

/** The key of a record of the request's chain and protocol. */
export function keyOf({ chain, protocol }: OfProtocol, localId: LocalId): RecordKey {
  return { chainId: chain.chainId, protocol: protocol.name, localId }
}

/** The parts of a request that tell its records from others. */
export type OfProtocol = Pick<ReadingById, 'chain' | 'protocol'>

/**
 * Attestations of the request's chain and protocol by their ids; unknown ids are left out. `read`: the parts of the
 * attestations that are needed.
 */
export async function readAttestations(
  context: ReadingById,
  ids: readonly LocalId[],
  read: Parameters<PastReader['findAttestations']>[1],
): Promise<StoredAttestation[]> {
  const { reader, budget } = context
  const found: StoredAttestation[] = []
  for (let start = 0; start < ids.length; start += keysMax) {
    const keys = ids.slice(start, start + keysMax).map((id) => keyOf(context, id))
    // Further long payloads are counted before they are read.
    const fields = { ...read, payloadBytesMax: 1 }
    const known = (await reader.findAttestations(keys, fields)).filter((row) => row !== null)
    await budget.readRows(known, sizeOf)
    for (const row of known) {
      const whole = row.unreadBytes === undefined ? row : (await reader.findAttestations([row.key], read))[0]
      if (whole != null) found.push(whole)
    }
  }
  return found
}

/**
 * The attestations with their places. A position costs a read of its own: without `needsPositions` it is read only for
 * attestations of the same time, which it orders.
 */
export async function placeAttestations(
  { newest }: Pick<ReadingById, 'newest'>,
  attestations: readonly StoredAttestation[],
  needsPositions: boolean,
): Promise<(StoredAttestation & { readonly place: RowPlace })[]> {
  const times = attestations.map(({ attestTimestamp }) => attestTimestamp)
  const lastAt = new Map(times.map((time, index) => [time, index]))
  const tied = new Set(times.filter((time, index) => lastAt.get(time) !== index))
  return await Promise.all(
    attestations.map(async (attestation, index) => {
      const timestamp = times[index] ?? 0
      const isNeeded = needsPositions || tied.has(timestamp)
      const position = isNeeded ? await findPosition(newest, attestation.key, 'attestation') : 0
      return { ...attestation, place: { timestamp, chainId: attestation.key.chainId, position } }
    }),
  )
}

/** The characters of an attestation that count towards a request's limit. */
export function sizeOf({ recipientsJson, detail, unreadBytes = 0 }: StoredAttestation): number {
  const ofPayload = detail === null ? 0 : detail.data.length + unreadBytes * 2
  const ofDetail = detail === null ? 0 : membersLength + detail.indexingValueJson.length + ofPayload
  return membersLength + recipientsJson.length + ofDetail
}

export function sizeOfSchema({ name, description, rawText }: StoredSchema): number {
  return membersLength + name.length + description.length + rawText.length
}

/** About as many characters have the members that are as long in any record. */
const membersLength = 400

/** The position of the event that made a record, for rows that were found by their keys. */
export async function findPosition(
  newest: ReadingById['newest'],
  key: RecordKey,
  event: 'attestation' | 'schema',
): Promise<number> {
  const found = await newest.findEvent(key, event)
  if (found === null) throw new TypeError(`${formatCompositeId(key)} has no event`)
  return found.position
}
