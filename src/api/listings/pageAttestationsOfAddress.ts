import type { Address } from '../../model/hex.ts'
import type { RecordKey } from '../../model/compositeId.ts'
import {
  everyAttestation,
  mergeSlices,
  type AttestationFilter,
  type IndexQueries,
} from '../../store/indexQueries.ts'
import type {
  AddressAttestationQuery,
  IndexReader,
  Page,
  StoredAttestation,
} from '../../store/indexReader.ts'
import { readFilteredPage } from './readFilteredPage.ts'

/**
 * A page of the attestations that an address made or received, newest first; `attester` leaves those of one account.
 * Without it, and for the attestations that the address made itself, any page costs the same. With another attester
 * the matches are counted, as `readFilteredPage` documents.
 * @throws BadParameterError, StoreTooMuchWorkError
 */
export async function pageAttestationsOfAddress(
  reader: IndexReader,
  queries: IndexQueries,
  query: AddressAttestationQuery,
  attester: Address | null,
): Promise<Page<StoredAttestation>> {
  const { address, role, page, size } = query
  if (attester === null) return await reader.listAttestationsOfAddress(query)
  if (attester === address && role !== 'received') {
    return await reader.listAttestationsOfAddress({ ...query, role: 'created' })
  }
  if (role === 'created') return { total: 0, rows: [] }
  const filters = await filtersOf(reader, query, attester)
  return await readFilteredPage(
    {
      count: async () => {
        const counts = await Promise.all(filters.map((filter) => queries.countAttestations(filter)))
        return counts.reduce((sum, count) => sum + count, 0)
      },
      slice: async (request, purpose) => {
        const fields = purpose === 'read' ? whole : nothing
        const slices = filters.map((filter) => queries.sliceAttestations({ ...request, filter }, fields))
        return mergeSlices(await Promise.all(slices), request)
      },
      walkedAt: '/scan/attestations, with this address as recipient,',
    },
    { page, size },
  )
}

const whole = { detail: true, schema: true }
const nothing = { detail: false, schema: false }

/** The filters that share no attestation and together pass those that the address received from the attester. */
async function filtersOf(
  reader: IndexReader,
  { address, chainId, schema }: AddressAttestationQuery,
  attester: Address,
): Promise<readonly AttestationFilter[]> {
  const received = {
    ...everyAttestation,
    attester,
    recipient: { kind: 'address', address } as const,
    chainId,
  }
  if (schema === null) return [received]
  return (await keysOf(reader, schema)).map((key) => ({ ...received, schema: key }))
}

/** The schemas that a filter means: one, or those of a local id on each chain. */
async function keysOf(
  reader: IndexReader,
  schema: NonNullable<AddressAttestationQuery['schema']>,
): Promise<readonly RecordKey[]> {
  if (schema.kind === 'key') return [schema.key]
  const { localId, protocol = null } = schema
  const chains = await reader.listChains()
  return chains.map(({ status }) => ({ chainId: status.chainId, localId, protocol }))
}
