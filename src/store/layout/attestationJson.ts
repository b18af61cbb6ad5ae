import { checksumAddress } from '../../model/checksumAddress.ts'
import { recipientsJson } from '../../model/recordJson.ts'
import type { Attestation } from '../../model/records.ts'
import { hexBytes } from './hexColumn.ts'

/** The greatest integer that both stores hold. */
const storedIntegerMax = 2n ** 63n - 1n

/** The columns of a row that its JSON is made of, beside those that indexes need. */
export interface AttestationJsonColumns {
  readonly schema_local_id: string
  /** With its checksum, which costs more to make than to keep, and without `0x`. */
  readonly attester: string
  readonly recipients_json: string
  readonly transaction_hash: Uint8Array
  readonly indexing_value_json: string
  /** Seconds, 0 for ever, at most 2^63 - 1. */
  readonly valid_until: bigint
  /** Decimal digits where it is more than that; NULL otherwise. */
  readonly exact_valid_until: string | null
  readonly data: Uint8Array
}

export function attestationJsonColumns(attestation: Attestation): AttestationJsonColumns {
  const isLater = attestation.validUntil > storedIntegerMax
  return {
    schema_local_id: attestation.schemaLocalId.slice(2),
    attester: checksumAddress(attestation.attester).slice(2),
    recipients_json: recipientsJson(attestation),
    transaction_hash: hexBytes(attestation.transactionHash),
    indexing_value_json: JSON.stringify(attestation.indexingValue),
    valid_until: isLater ? storedIntegerMax : attestation.validUntil,
    exact_valid_until: isLater ? String(attestation.validUntil) : null,
    data: hexBytes(attestation.data),
  }
}
