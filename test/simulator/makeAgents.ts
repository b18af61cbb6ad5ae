import { encodeAbiParameters, encodeEventTopics, type Hex, pad, parseAbi, zeroAddress, zeroHash } from 'viem'
import { accountOf } from './makeRecords.ts'
import { createRandom, mixSeeds, type Random } from './random.ts'
import type { TrueAgentLog } from './trueRecords.ts'

/** The logs of the registries of ERC-8004, each a function of the seed, the fork and a number. */

const abi = parseAbi([
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
  'event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy)',
  'event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
  'event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex)',
  'event ResponseAppended(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, address indexed responder, string responseURI, bytes32 responseHash)',
  'event ValidationRequest(address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash)',
  'event ValidationResponse(address indexed validatorAddress, uint256 indexed agentId, bytes32 indexed requestHash, uint8 response, string responseURI, bytes32 responseHash, string tag)',
])

type EventName = (typeof abi)[number]['name']

export const newFeedbackTopic = encodeEventTopics({ abi, eventName: 'NewFeedback' })[0]

/** The logs of the registration of an agent, whose number is one less than its ordinal. */
export function makeRegistration(seed: number, fork: number, ordinal: number): readonly TrueAgentLog[] {
  const random = createRandom(mixSeeds(seed, 30, fork, ordinal))
  const agentId = BigInt(ordinal - 1)
  const owner = drawAccount(seed, random)
  return [
    log('identities', 'Transfer', { from: zeroAddress, to: owner, tokenId: agentId }),
    log('identities', 'Registered', { agentId, agentURI: drawUri(random), owner }),
    metadata(agentId, 'agentWallet', owner),
  ]
}

/**
 * Any other log of the registries, about an agent that may not be registered yet. The record that it revokes, responds
 * to or validates may exist before, later or never.
 * @param agents how many agents are registered before it.
 */
export function makeAgentLog(seed: number, fork: number, ordinal: number, agents: number): TrueAgentLog {
  const random = createRandom(mixSeeds(seed, 31, fork, ordinal))
  const agentId = BigInt(random.integer(0, agents))
  const account = drawAccount(seed, random)
  // Feedback and requests are the same on each fork that makes them.
  const own = feedbackOf(seed, ordinal)
  const other = feedbackOf(seed, Math.max(1, ordinal + random.integer(-6, 2)))
  const what = random.pick([
    'uri',
    'metadata',
    'wallet',
    'transfer',
    'transfer',
    'request',
    'answer',
    'response',
  ])
  if (random.chance(0.4)) {
    return log('reputation', 'NewFeedback', {
      ...own,
      value: random.pick([100n, -1n, 2n ** 127n - 1n, -(2n ** 127n)]),
      valueDecimals: random.integer(0, 18),
      indexedTag1: 'starred',
      tag1: 'starred',
      tag2: random.pick(['', '\u202e\u0007']),
      endpoint: '',
      feedbackURI: drawUri(random),
      feedbackHash: zeroHash,
    })
  }
  if (random.chance(0.3)) return log('reputation', 'FeedbackRevoked', other)
  switch (what) {
    case 'uri':
      return log('identities', 'URIUpdated', { agentId, newURI: drawUri(random), updatedBy: account })
    case 'metadata':
      return metadata(agentId, random.pick(['', 'category']), '0xabcd')
    case 'wallet':
      return metadata(agentId, 'agentWallet', account)
    case 'transfer':
      return log('identities', 'Transfer', { from: drawAccount(seed, random), to: account, tokenId: agentId })
    case 'request':
      return log('validations', 'ValidationRequest', {
        validatorAddress: account,
        agentId,
        requestURI: drawUri(random),
        requestHash: requestOf(own),
      })
    case 'answer':
      return log('validations', 'ValidationResponse', {
        validatorAddress: account,
        agentId,
        requestHash: requestOf(other),
        response: random.integer(0, 100),
        responseURI: '',
        responseHash: zeroHash,
        tag: 'audit',
      })
    default:
      return log('reputation', 'ResponseAppended', {
        ...other,
        responder: account,
        responseURI: drawUri(random),
        responseHash: zeroHash,
      })
  }
}

/** The feedback of a number, where a log of this number gives any. */
function feedbackOf(seed: number, ordinal: number) {
  const random = createRandom(mixSeeds(seed, 32, ordinal))
  return {
    agentId: BigInt(random.integer(0, 3)),
    clientAddress: drawAccount(seed, random),
    feedbackIndex: BigInt(ordinal),
  }
}

function requestOf({ feedbackIndex }: { readonly feedbackIndex: bigint }): Hex {
  return pad(`0x${feedbackIndex.toString(16)}`)
}

function metadata(agentId: bigint, key: string, value: Hex): TrueAgentLog {
  return log('identities', 'MetadataSet', {
    agentId,
    indexedMetadataKey: key,
    metadataKey: key,
    metadataValue: value,
  })
}

function log(
  registry: TrueAgentLog['registry'],
  eventName: EventName,
  args: Readonly<Record<string, unknown>>,
): TrueAgentLog {
  const item = abi.find(({ name }) => name === eventName)
  if (item === undefined) throw new TypeError(`there is no event ${eventName}`)
  const inputs = item.inputs.filter((input) => !('indexed' in input && input.indexed))
  return {
    registry,
    topics: encodeEventTopics({ abi: [item], args } as never) as readonly string[],
    data: encodeAbiParameters(inputs, inputs.map(({ name }) => args[name]) as never),
  }
}

function drawAccount(seed: number, random: Random): Hex {
  return `0x${accountOf(seed, random.integer(1, 4))}`
}

function drawUri(random: Random): string {
  const registration = JSON.stringify({ name: `Agent ${random.integer(1, 9)}`, active: random.chance(0.5) })
  return random.pick([
    '',
    'https://agent.example/agent.json',
    `data:application/json;base64,${Buffer.from(registration).toString('base64')}`,
    'data:application/json,{"name":"nul \\u0000"}',
  ])
}
