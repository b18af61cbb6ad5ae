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
  planCount: ({ address }, what) => ({
    to: address,
    data: what === 'schema' ? schemaCounterSelector : attestationCounterSelector,
  }),

  decodeCount(result) {
    if (result.kind !== 'returned' || !/^0x[0-9a-f]{64}$/.test(result.data)) return null
    const count = BigInt(result.data)
    return count < 2n ** 64n ? count : null
  },

  planRecord: ({ address }, what, number) => ({
    to: address,
    data: encodeGetterCall(what === 'schema' ? getSchemaSelector : getAttestationSelector, number),
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
}
