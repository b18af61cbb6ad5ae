import { localIdOfCounter } from '../../model/compositeId.ts'
import type { RecordCounters } from '../protocolAdapter.ts'
import { decodeAttestationRecord, decodeSchemaRecord } from './decodeSignRecord.ts'
import {
  attestationCounterSelector,
  encodeGetterCall,
  getAttestationSelector,
  getSchemaSelector,
  schemaCounterSelector,
  signEventTypes,
} from './signAbi.ts'

/** The contract's two counters: each holds the id of the next record. `initialize` sets their first values. */
export const signCounters: RecordCounters = {
  kinds: ['schema', 'attestation'],

  planNext: ({ address }, what) => [
    { to: address, data: what === 'schema' ? schemaCounterSelector : attestationCounterSelector },
  ],

  decodeNext([result]) {
    if (result?.kind !== 'returned' || !/^0x[0-9a-f]{64}$/.test(result.data)) return null
    const next = BigInt(result.data)
    return next < 2n ** 64n ? localIdOfCounter(next) : null
  },

  numberOf: (id) => BigInt(id),

  idAt: (number) => localIdOfCounter(number),

  planRecord: ({ address }, what, id) => ({
    to: address,
    data: encodeGetterCall(what === 'schema' ? getSchemaSelector : getAttestationSelector, BigInt(id)),
  }),

  decodeRecordTime(what, result) {
    if (result.kind !== 'returned') return null
    const decoded = what === 'schema' ? decodeSchemaRecord(result.data) : decodeAttestationRecord(result.data)
    if (decoded.kind !== 'record') return null
    const { record } = decoded
    const time = 'timestamp' in record ? record.timestamp : record.attestTimestamp
    // A record that does not exist is a struct of zeros.
    return time === 0n || time > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(time)
  },

  announces({ topics }) {
    const [topic] = topics
    const type = signEventTypes.find((each) => each.topic === topic)
    if (type?.kind === 'schemaRegistered') return 'schema'
    return type?.kind === 'attestationMade' ? 'attestation' : null
  },

  unannounced: null,
  searched: null,
  subjects: null,
}
