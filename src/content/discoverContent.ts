import { formatCompositeId } from '../model/compositeId.ts'
import { parseContentPointer } from '../model/contentPointer.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import { decodeStoredPayload } from '../model/decodeStoredPayload.ts'
import { contentIdName } from '../model/fieldValues.ts'
import { detailOf } from '../model/recordJson.ts'
import { endOf, everyAttestation } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { StoredAttestation } from '../store/storedRecords.ts'
import type { ContentStore, NotedPointer } from './contentStore.ts'

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
          { detail: true, schema: true },
        )
        const pointers = slice.rows.map((row) => pointerOf(row, decodePayload))
        after = endOf(slice) ?? after
        if (after.timestamp < sure) saved = after
        if (pointers.length > 0 || saved !== noted) {
          await store.note(pointers, { chainId, location, place: saved }, now())
          noted = saved
        }
        hasMore = slice.hasMore && endOf(slice) !== null
      }
    }
  }
}

/** What the payload of a record names. */
function pointerOf(attestation: StoredAttestation, decodePayload: DecodePayload): NotedPointer {
  const { dataLocation } = detailOf(attestation.detail)
  const payload = decodeStoredPayload(attestation, decodePayload)
  const [first] = payload.kind === 'decoded' ? payload.values : []
  const text = typeof first?.value === 'string' ? first.value : ''
  const { schema } = attestation
  const { chainId, protocol, localId } = attestation.key
  return {
    record: { chainId, protocol, localId },
    key: parseContentPointer(dataLocation, text)?.key ?? null,
    schemaId: schema === null ? '' : formatCompositeId(schema.key),
    pathText: contentIdName,
    text,
  }
}
