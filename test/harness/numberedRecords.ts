import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { noBytes, parseAddress, zeroHash, type Address, type Hex } from '@attestry/core/model/hex.ts'
import { unannouncedPosition } from '@attestry/core/model/position.ts'
import type {
  ChainLog,
  ContractRead,
  ProtocolAdapter,
  ReadResult,
  RecordCounters,
  RecordKind,
  UnannouncedRecords,
} from '@attestry/core/protocols/protocolAdapter.ts'
import type { IndexedDeployment } from '@attestry/core/sync/fetchEvents.ts'

export const numberedContract = parseAddress(`0x${'c0'.repeat(20)}`) as Address

/**
 * The creation times of the records of a contract, in Unix seconds, by number; null for a record that cannot be read.
 * Numbers begin at 0. Null instead of times: the contract does not say how many records it has.
 */
export type RecordTimes = Readonly<Record<Exclude<RecordKind, 'subject'>, readonly (number | null)[] | null>>

const numberedCounters: RecordCounters = {
  kinds: ['schema', 'attestation'],
  planNext: ({ address }, what) => [{ to: address, data: `0x${what}` as Hex }],
  decodeNext: ([result]) => (result?.kind === 'returned' ? localIdOfCounter(BigInt(result.data)) : null),
  numberOf: (id) => BigInt(id),
  idAt: (number) => localIdOfCounter(number),
  planRecord: ({ address }, what, id) => ({ to: address, data: `0x${what} ${id}` as Hex }),
  decodeRecordTime: (_, result) => (result.kind === 'returned' ? Number(result.data) : null),
  announces: ({ topics: [topic] }) => (topic === topicOf('schema') ? 'schema' : 'attestation'),
  unannounced: null,
  searched: null,
  subjects: null,
}

/**
 * A protocol whose contract numbers its records. A log is that of the record whose kind its topic and whose number its
 * data holds; a log without data is unreadable. Every log becomes one event, without a read.
 */
const numberedAdapter: ProtocolAdapter = {
  name: 'sign',
  title: 'Numbered records',
  topics: [],
  senderTopics: [],
  payloadForm: 'flat',
  mayBeBornRevoked: false,
  defineSchema: ({ definition }) => definition,
  contractsOf: ({ address }) => [address],
  planRead: () => null,
  decodeLog: ({ address, protocol }, { topics, data, transactionHash, position }) => {
    const event = {
      kind: 'undecodableLog',
      protocol,
      contract: address,
      topics,
      data,
      reason: 'a fake',
    } as const
    return { kind: 'events', events: [{ ...event, transactionHash, position }] }
  },
  identifyEvent: ({ topics, data }) => {
    const kind = topics[0] === topicOf('schema') ? 'schemaRegistered' : 'attestationMade'
    return data === noBytes ? null : { kind, localId: localIdOfCounter(BigInt(data)) }
  },
  readRevocation: () => null,
  counters: numberedCounters,
}

export function numberedDeployment(startBlock: number): IndexedDeployment {
  const deployment = {
    protocol: 'sign',
    chainId: 1,
    address: numberedContract,
    schemaRegistry: null,
  } as const
  return { deployment: { ...deployment, startBlock }, adapter: numberedAdapter }
}

/** A deployment whose contract may make attestations without a log as long as it says how many it has. */
export function silentDeployment(startBlock: number): IndexedDeployment {
  const { deployment, adapter } = numberedDeployment(startBlock)
  const unannounced: UnannouncedRecords = {
    planState: ({ address }) => ({ to: address, data: '0xattestation' as Hex }),
    mayGoOn: ({ kind }) => kind === 'returned',
    makeLog: (_, id, { number, hash, timestamp }) => {
      const place = { blockNumber: number, position: unannouncedPosition(number, BigInt(id)) }
      const block = { blockHash: hash, blockTimestamp: timestamp, transactionHash: zeroHash }
      return { ...numberedLog('attestation', Number(id)), ...place, ...block }
    },
  }
  return { deployment, adapter: { ...adapter, counters: { ...numberedCounters, unannounced } } }
}

/** The answer to a read of the contract with these records. */
export function answerNumbered(times: RecordTimes, { data }: ContractRead): ReadResult {
  const [what, id] = data.slice(2).split(' ')
  const list = times[what as keyof RecordTimes]
  const value = (id === undefined ? list?.length : list?.[Number(id)]) ?? null
  return value === null ? { kind: 'reverted', data: noBytes } : { kind: 'returned', data: hexOf(value) }
}

/** The content of a record's log. `number` null: the log cannot be read. */
export function numberedLog(
  what: RecordKind,
  number: number | null,
): Pick<ChainLog, 'address' | 'topics' | 'data'> {
  return {
    address: numberedContract,
    topics: [topicOf(what)],
    data: number === null ? noBytes : hexOf(number),
  }
}

function topicOf(what: RecordKind): Hex {
  return `0x${what}` as Hex
}

function hexOf(value: number): Hex {
  return `0x${value.toString(16)}` as Hex
}
