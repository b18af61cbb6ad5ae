/** A row of `attestation` as layouts had it that kept its JSON as it is answered. */
export interface RenderedRecord {
  readonly id: number
  readonly localId: string
  /** As far as an integer of the store goes. */
  readonly validUntil: string
  readonly linkedLocalId: string | null
  readonly summaryJson: string
  readonly detailJson: string
}

/** Text that looks like members of the JSON that it stands in, and holds what neither store keeps as text. */
const hostile = String.raw`"\",\"fullSchemaId\":\" \",\"data\":\"0x \",\"recipients\":[ \u0000\ud800"`

/** Records whose texts, times and bytes are the hardest to take out of their JSON again. */
export const renderedRecords: readonly RenderedRecord[] = [
  record(1, '0', null, ''),
  record(2, '18446744073709551615', '1', '00ff'),
  record(3, '9223372036854775807', '2', 'ab'),
]

function record(id: number, until: string, linkedLocalId: string | null, data: string): RenderedRecord {
  const linked = linkedLocalId === null ? '' : `onchain_evm_10_0x${linkedLocalId}`
  return {
    id,
    localId: String(id),
    validUntil: until.length > 19 ? '9223372036854775807' : until,
    linkedLocalId,
    summaryJson:
      `"id":"onchain_evm_10_0x${id}","mode":"onchain","chainType":"evm","chainId":"10","attestationId":"0x${id}",` +
      `"schemaId":"0xa","attester":"0x${'Ab'.repeat(20)}","attestTimestamp":"1700000000","recipients":["",${hostile}]`,
    detailJson:
      `"transactionHash":"0x${'cd'.repeat(32)}","indexingValue":${hostile},"fullSchemaId":"onchain_evm_10_0xa",` +
      `"linkedAttestation":"${linked}","validUntil":"${until}","data":"0x${data}","dataLocation":"ONCHAIN"`,
  }
}
