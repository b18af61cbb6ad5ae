import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { AddressStatistics } from '@attestry/core/index/storedRecords.ts'

/** The statistics of one address (docs/api.md, "Members"). */
export function presentStatistics(statistics: AddressStatistics) {
  const { schemaCreated, totalAttestations, attestationCreated, attestationReceived } = statistics
  return { schemaCreated, totalAttestations, attestationCreated, attestationReceived }
}

/** A row of the search's address group. */
export function presentFoundAddress(found: AddressStatistics & { readonly address: Address }) {
  const { schemaCreated, attestationCreated, attestationReceived } = found
  return {
    address: checksumAddress(found.address),
    schemaCreated,
    attestationCreated,
    attestationReceived,
  }
}
