import { perDialect } from './dialect.ts'

/** The members of an object as JSON text, without its braces. */
export function membersJson(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}

/**
 * The JSON of an attestation as statements make it of its row, under the alias `a`: `attestationMembers` and
 * `attestationDetailMembers` (model/recordJson.ts) in SQL, without braces. A row holds each thing once, and nothing that these can make of
 * its other columns.
 */
export const attestationJson = perDialect(({ hex }) => {
  const compositeId = (localId: string) => `'onchain_evm_', a.chain_id, '_0x', ${localId}`
  return {
    summary:
      `concat('"id":"', ${compositeId('a.local_id')}, '","mode":"onchain","chainType":"evm","chainId":"', a.chain_id, ` +
      `'","attestationId":"0x', a.local_id, '","schemaId":"0x', a.schema_local_id, '","attester":"0x', a.attester, ` +
      `'","attestTimestamp":"', a.attest_timestamp, '","recipients":', a.recipients_json)`,
    detail:
      `concat('"transactionHash":"0x', ${hex('a.transaction_hash')}, '","indexingValue":', a.indexing_value_json, ` +
      `',"fullSchemaId":"', ${compositeId('a.schema_local_id')}, '","linkedAttestation":"', ` +
      `CASE WHEN a.linked_local_id IS NULL THEN '' ELSE concat(${compositeId('a.linked_local_id')}) END, ` +
      `'","validUntil":"', coalesce(a.exact_valid_until, CAST(a.valid_until AS text)), '","data":"0x', ${hex('a.data')}, ` +
      `'","dataLocation":"', a.data_location, '"')`,
  }
})
