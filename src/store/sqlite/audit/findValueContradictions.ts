import type { Attestation } from '../../../model/records.ts'
import type { Difference } from '../../indexAudit.ts'
import type { Connection } from '../connection.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { eventDifference } from '../../audit/differences.ts'
import { formatCompositeId } from '../../../model/compositeId.ts'
import { attestationValues } from '../../layout/valueKey.ts'

/** Whether an attestation is found under each value that it has, and whoever has it. */
export function* findValueContradictions(
  connection: Connection,
  range: EventRange,
  attestation: Attestation,
): Generator<Difference> {
  const id = (BigInt(range.ordinal) << 53n) | BigInt(attestation.position)
  for (const { key, holder } of attestationValues(attestation)) {
    const stored = connection
      .statement<[number]>(
        'SELECT holder FROM value_posting WHERE value_key = ? AND attest_timestamp = ? AND chain_id = ? AND id = ?',
      )
      .get(key, attestation.attestTimestamp, range.chainId, id)?.[0]
    if (stored === holder) continue
    const values = {
      field: 'value_posting',
      stored: stored === undefined ? null : `holder ${stored}`,
      expected: `holder ${holder}`,
    }
    const subject = formatCompositeId(attestation.key)
    yield eventDifference('derived', range.chainId, attestation.position, subject, values, 'rebuild')
  }
}
