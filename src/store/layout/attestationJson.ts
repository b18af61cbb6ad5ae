import { checksumAddress } from '../../model/checksumAddress.ts'
import { recipientsJson } from '../../model/recordJson.ts'
import type { Attestation } from '../../model/records.ts'
import { hexBytes } from './hexColumn.ts'

/**
 * The JSON of an attestation as a store's statements make it of its row, under the alias `a`: `attestationSummaryJson`
 * and `attestationDetailJson` (model/recordJson.ts) in SQL. A row holds each thing once, and nothing that these can
 * make of its other columns.
 */
export interface AttestationJsonSql {
  readonly summary: string
  readonly detail: string
}

/** The expressions of a store. `hexOf` makes lower-case hexadecimal digits of a column of bytes. */
export function attestationJsonSql(hexOf: (column: string) => string): AttestationJsonSql {
  const compositeId = (localId: string) => `'onchain_evm_', a.chain_id, '_0x', ${localId}`
  return {
    summary:
      `concat('"id":"', ${compositeId('a.local_id')}, '","mode":"onchain","chainType":"evm","chainId":"', a.chain_id, ` +
      `'","attestationId":"0x', a.local_id, '","schemaId":"0x', a.schema_local_id, '","attester":"0x', a.attester, ` +
      `'","attestTimestamp":"', a.attest_timestamp, '","recipients":', a.recipients_json)`,
    detail:
      `concat('"transactionHash":"0x', ${hexOf('a.transaction_hash')}, '","indexingValue":', a.indexing_value_json, ` +
      `',"fullSchemaId":"', ${compositeId('a.schema_local_id')}, '","linkedAttestation":"', ` +
      `CASE WHEN a.linked_local_id IS NULL THEN '' ELSE concat(${compositeId('a.linked_local_id')}) END, ` +
      `'","validUntil":"', coalesce(a.exact_valid_until, CAST(a.valid_until AS text)), '","data":"0x', ${hexOf('a.data')}, ` +
      `'","dataLocation":"', a.data_location, '"')`,
  }
}

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
