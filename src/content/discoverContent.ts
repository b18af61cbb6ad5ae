import { parseContentPointer } from '../model/contentPointer.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import { decodeStoredPayload } from '../model/decodeStoredPayload.ts'
import { detailOf } from '../model/recordJson.ts'
import { endOf, everyAttestation } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { StoredAttestation } from '../store/storedRecords.ts'
import type { ContentStore } from './contentStore.ts'

/** The places of payloads that are looked into. */
export const contentLocations = ['IPFS', 'ARWEAVE'] as const

/**
 * The newest records of a chain may be replaced by a reorganisation: they are walked again until they are this much
 * older than the newest block, in seconds of the chain.
 */
const marginSeconds = 1_800

/** Rows that are read at once. */
const limit = 500

/**
 * Walks the records of all chains whose payload is kept elsewhere, from where the last walk was sure, and notes what
 * they name. Content belongs to its identifier: of a record that a reorganisation takes back nothing has to go.
 */
export async function discoverContent(
  reader: Pick<IndexReader, 'listChains' | 'sliceAttestations'>,
  store: ContentStore,
  decodePayload: DecodePayload,
  now: () => number,
  stop: AbortSignal,
): Promise<void> {
  for (const { status } of await reader.listChains()) {
    const { chainId, indexedTimestamp } = status
    if (!status.protocols.includes('sign')) continue
    for (const location of contentLocations) {
      const filter = { ...everyAttestation, chainId, protocol: 'sign', dataLocation: location }
      const sure = (indexedTimestamp ?? 0) - marginSeconds
      let after = (await store.findWalk(chainId, location)) ?? { timestamp: 0, chainId, position: 0 }
      let saved = after
      let noted = after
      for (let hasMore = true; hasMore && !stop.aborted;) {
        const slice = await reader.sliceAttestations(
          { filter, order: 'oldestFirst', after, limit },
          { detail: true, schema: false },
        )
        const keys = slice.rows.flatMap((row) => keyOf(row, decodePayload) ?? [])
        after = endOf(slice) ?? after
        if (after.timestamp < sure) saved = after
        if (keys.length > 0 || saved !== noted) {
          await store.note(keys, { chainId, location, place: saved }, now())
          noted = saved
        }
        hasMore = slice.hasMore && endOf(slice) !== null
      }
    }
  }
}

/** The key of what the payload of a record names; null where it names nothing that can be fetched. */
function keyOf(attestation: StoredAttestation, decodePayload: DecodePayload): string | null {
  const { dataLocation } = detailOf(attestation.detail)
  const payload = decodeStoredPayload(attestation, decodePayload)
  const [first] = payload.kind === 'decoded' ? payload.values : []
  return typeof first?.value === 'string'
    ? (parseContentPointer(dataLocation, first.value)?.key ?? null)
    : null
}
