import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { WantedRecord } from '@attestry/core/index/indexQueries.ts'
import type { Identified } from '../parameters/idParameters.ts'
import { integerParameter } from '../parameters/integerParameter.ts'

/** For how long an answer may wait for its record, in seconds; null: not at all. */
export const waitParameter = integerParameter({
  name: 'wait',
  description:
    'Seconds for which the answer waits where the record is not indexed yet: it comes as soon as the record is, or is the ' +
    '404 when the time is over.',
  minimum: 1,
  maximum: 60,
  absent: null,
})

/** The record with an id; null for an id that no record can have, for which nobody need wait. */
export function wantedRecord(kind: 'attestation' | 'schema', id: Identified<RecordKey>): WantedRecord | null {
  return id.kind === 'known' ? { kind, key: id.value } : null
}
