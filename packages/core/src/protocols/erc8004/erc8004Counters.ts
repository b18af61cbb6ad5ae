import { agentSubject } from '../../model/agents.ts'
import { type Address, type Hex, parseAddress } from '../../model/hex.ts'
import type { ReadResult, RecordCounters } from '../protocolAdapter.ts'
import { decodeErc8004Event } from './decodeErc8004Event.ts'
import { erc8004EventTypes } from './erc8004Abi.ts'

/** Selector of `ownerOf(uint256)`. */
const ownerOfSelector = '0x6352211e'
/** Selector of `getLastIndex(uint256,address)`. */
const getLastIndexSelector = '0xf2d81759'
/** Selector of `getClients(uint256)`. */
const getClientsSelector = '0x42dd519c'

/**
 * The registry of identities numbers agents from 0 on, and does not say how many there are: an agent exists if it has an
 * owner. The registry of reputation numbers the feedback of each client for each agent from 1 on.
 */
export const erc8004Counters: RecordCounters = {
  kinds: ['subject'],
  planNext: () => [],
  decodeNext: () => null,

  numberOf: (id) => BigInt(id),

  idAt: (number) => agentSubject(number),

  planRecord: ({ address }, _, id) => ({ to: address, data: `${ownerOfSelector}${id.slice(2)}` as Hex }),

  decodeRecordTime: () => null,

  announces: ({ topics }) => (topics[0] === registeredTopic ? 'subject' : null),

  unannounced: null,

  searched: {
    firstId: agentSubject(0n),
    exists(result) {
      if (result.kind === 'reverted') return false
      const owner = readWord(result)
      return owner === null ? null : owner !== 0n
    },
    identify(log) {
      const event = decodeErc8004Event({ address: log.address }, log)
      return event.kind === 'registered' ? agentSubject(event.agentId) : null
    },
  },

  subjects: {
    noun: 'agent',
    recordNoun: 'feedback',
    contractNoun: 'registry of reputation',
    contractOf: ({ reputationRegistry }) => reputationRegistry,
    planAccounts: ({ reputationRegistry }, agent) =>
      reputationRegistry === undefined
        ? null
        : { to: reputationRegistry, data: `${getClientsSelector}${agent.slice(2)}` as Hex },
    decodeAccounts: decodeClients,
    planLast: ({ reputationRegistry }, agent, client) =>
      reputationRegistry === undefined
        ? null
        : {
            to: reputationRegistry,
            data: `${getLastIndexSelector}${agent.slice(2)}${client.slice(2).padStart(64, '0')}` as Hex,
          },
    decodeLast: readWord,
  },
}

const registeredTopic = erc8004EventTypes.find(({ kind }) => kind === 'registered')?.topic

function readWord(result: ReadResult): bigint | null {
  return result.kind === 'returned' && /^0x[0-9a-f]{64}$/.test(result.data) ? BigInt(result.data) : null
}

/** An `address[]` as the only value of the returned data. */
function decodeClients(result: ReadResult): readonly Address[] | null {
  if (result.kind !== 'returned') return null
  const words = result.data.slice(2).match(/.{64}/g) ?? []
  const [offset, length, ...items] = words.map((word) => BigInt(`0x${word}`))
  if (offset !== 32n || length !== BigInt(items.length)) return null
  const clients = items.map((item) => parseAddress(`0x${item.toString(16).padStart(40, '0')}`))
  return clients.every((client) => client !== null) ? clients : null
}
