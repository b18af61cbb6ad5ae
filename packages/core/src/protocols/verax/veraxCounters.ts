import type { LocalId } from '../../model/compositeId.ts'
import { type Hex, noBytes, zeroHash } from '../../model/hex.ts'
import { unannouncedPosition } from '../../model/position.ts'
import type { ReadResult, RecordCounters } from '../protocolAdapter.ts'
import { decodeAttestationRecord } from './decodeVeraxRecord.ts'
import {
  attestationIdCounterSelector,
  chainPrefixSelector,
  encodeGetAttestation,
  versionNumberSelector,
  veraxEventTypes,
} from './veraxAbi.ts'

/**
 * The registry's counter of attestations, a uint32 from 1 on. An id is the counter plus the chain's prefix, which
 * stands in the upper two bytes. Registries before v6 had no prefix and the same counter, so the number of an id is only
 * its counter. Schemas are not numbered.
 */
export const veraxCounters: RecordCounters = {
  kinds: ['attestation'],

  planNext: ({ address }) => [
    { to: address, data: attestationIdCounterSelector },
    { to: address, data: chainPrefixSelector },
  ],

  decodeNext([counter, prefix]) {
    const [count, base] = [readWord(counter), readWord(prefix)]
    if (count === null || base === null || count > counterMax) return null
    return formatId(base + count + 1n)
  },

  numberOf: (id) => BigInt(id) & counterMask,

  idAt: (number, sibling) => formatId((BigInt(sibling) & ~counterMask) | number),

  planRecord: ({ address }, _, id) => ({ to: address, data: encodeGetAttestation(id) }),

  decodeRecordTime(_, result) {
    const decoded = result.kind === 'returned' ? decodeAttestationRecord(result.data) : null
    if (decoded?.kind !== 'record' || decoded.record.attestedDate > BigInt(Number.MAX_SAFE_INTEGER))
      return null
    return Number(decoded.record.attestedDate)
  },

  announces: ({ topics }) => (topics[0] === registeredTopic ? 'attestation' : null),
  // `massImport` of v3 stored attestations without an event; that of v4 emits one for each.
  unannounced: {
    planState: ({ address }) => ({ to: address, data: versionNumberSelector }),
    mayGoOn(state) {
      const version = readWord(state)
      return version !== null && version < 4n
    },
    makeLog: ({ address }, id, { number, hash, timestamp }) => ({
      address,
      // A local id of Verax is one word.
      topics: [registeredTopic, id as string as Hex],
      data: noBytes,
      blockNumber: number,
      blockHash: hash,
      blockTimestamp: timestamp,
      transactionHash: zeroHash,
      position: unannouncedPosition(number, veraxCounters.numberOf(id)),
    }),
  },
  searched: null,
  subjects: null,
}

const registeredTopic = veraxEventTypes.find(({ kind }) => kind === 'attestationRegistered')?.topic ?? noBytes
const counterMax = 2n ** 32n - 1n
/** A number after the last counter stays below the prefix too. */
const counterMask = 2n ** 64n - 1n

function readWord(result: ReadResult | undefined): bigint | null {
  return result?.kind === 'returned' && /^0x[0-9a-f]{64}$/.test(result.data) ? BigInt(result.data) : null
}

function formatId(value: bigint): LocalId {
  return `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}` as LocalId
}
