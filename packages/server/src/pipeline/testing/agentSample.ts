import { encodeAbiParameters, parseAbiParameters } from 'viem'
import {
  agentChangeBody,
  agentNoteBody,
  agentProtocol,
  agentSubject,
  feedbackSchemaId,
  formatAgentId,
  validationSchemaId,
  type AgentChangeKind,
} from '@attestry/core/model/agents.ts'
import { localIdOfUid, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroAddress, zeroHash, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { feedbackId } from '@attestry/core/protocols/erc8004/erc8004Adapter.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { sampleChain } from './sampleIndex.ts'

/** An index with agents: two on chain 5, of which one has feedback, and EAS on the same chain. */

export const agentChain = 5
export const identityRegistry = `0x8004${'a1'.repeat(18)}` as Address
export const reputationRegistry = `0x8004${'b2'.repeat(18)}` as Address
export const easContract = `0xea5${'0'.repeat(37)}` as Address
export const [owner, buyer, client, friend] = ['11', '22', '33', '44'].map(
  (byte) => `0x${byte.repeat(20)}` as Address,
) as [Address, Address, Address, Address]
export const adaUri = `data:application/json;base64,${Buffer.from(
  JSON.stringify({
    name: 'Ada',
    description: 'Adds numbers',
    image: 'ipfs://ada',
    active: true,
    x402Support: true,
    supportedTrust: ['reputation'],
    services: [
      { name: 'MCP', endpoint: 'https://mcp.ada.example', version: '2025-06-18' },
      { name: 'A2A', endpoint: 'https://ada.example/.well-known/agent-card.json', version: '0.3.0' },
      { name: 'OASF', endpoint: 'x', version: '0.8', skills: ['maths/adding'], domains: ['science'] },
    ],
  }),
).toString('base64')}`
const reviewUri = `data:application/json,${JSON.stringify({
  agentId: 0,
  createdAt: '2026-02-01T00:00:00Z',
  value: '99999999999999999999',
  valueDecimals: 2,
  text: 'Good work',
  mcp: { tool: 'add' },
  oasf: { skills: ['maths', 7] },
  proofOfPayment: { chainId: 8453, txHash: '0x1' },
  tag1: 'of the file',
})}`
export const easUid = `0x${'ea'.repeat(32)}` as Hash

const hashAt = (index: number) => `0x${index.toString(16).padStart(64, '7')}` as Hash
const timeOf = (block: number) => unixSeconds(1_770_000_000 + block * 10)

export interface SampleFeedback {
  readonly agentId: bigint
  readonly from: Address
  readonly index: number
  readonly value: bigint
  readonly decimals: number
  readonly tag1: string
  readonly tag2?: string
  readonly uri?: string
}

/** The local ids of the sample's feedback, by its index. */
const feedbackOf = new Map<number, Pick<SampleFeedback, 'agentId' | 'from' | 'index'>>()

export function feedbackIdAt(index: number): LocalId {
  const { agentId, from } = feedbackOf.get(index) ?? { agentId: 0n, from: zeroAddress }
  return feedbackId({ agentId, client: from, index: BigInt(index) })
}

const fields = [
  ['feedbackIndex', 'uint64'],
  ['value', 'int128'],
  ['valueDecimals', 'uint8'],
  ['tag1', 'string'],
  ['tag2', 'string'],
  ['endpoint', 'string'],
  ['feedbackURI', 'string'],
  ['feedbackHash', 'bytes32'],
].map(([name = '', type = '']) => ({ name, type }))

/** Fills a store with the sample, and with further events in blocks of their own. */
export async function fillAgents(
  writer: IndexWriter,
  further: readonly ((block: number) => DomainEvent)[] = [],
): Promise<void> {
  await writer.openChain({
    chainId: agentChain,
    name: 'Agents',
    contracts: [
      {
        protocol: agentProtocol,
        address: identityRegistry,
        schemaRegistry: null,
        reputationRegistry,
        startBlock: 0,
      },
      { protocol: 'eas', address: easContract, schemaRegistry: easContract, startBlock: 0 },
    ],
  })
  const makers = [...sampleEvents, ...further]
  const events = makers.map((make, index) => make(index + 1))
  await writer.applyBlocks(agentChain, {
    fromBlock: 0,
    checkpoint: { blockNumber: makers.length, timestamp: timeOf(makers.length) },
    events,
    recentBlocks: [],
    forgetBlocksBelow: 0,
    storedAt: sampleNow,
  })
  const end = { headBlock: makers.length, headTimestamp: timeOf(makers.length) }
  await writer.saveChainStatus(
    sampleChain({
      chainId: agentChain,
      name: 'Agents',
      protocols: [agentProtocol, 'eas'],
      ...end,
      indexedBlock: end.headBlock,
      indexedTimestamp: end.headTimestamp,
      updatedAt: sampleNow,
    }),
  )
}

/** When the sample was indexed; its chain was at its head then. */
export const sampleNow = unixMilliseconds(1_780_000_000_000)

const sampleEvents: readonly ((block: number) => DomainEvent)[] = [
  (block) => ({ kind: 'schemaRegistered', position: eventPosition(block, 0), schema: feedbackSchema(block) }),
  changed(0n, { change: 'registered', owner, uri: adaUri }),
  changed(1n, { change: 'registered', owner, uri: '' }),
  changed(0n, { change: 'metadataSet', key: 'nul\0 and \ud800', value: '0xabcd' as Hex }),
  (block) => ({ kind: 'attestationMade', position: eventPosition(block, 0), attestation: easRecord(block) }),
  gave({ agentId: 0n, from: client, index: 1, value: 9_950n, decimals: 2, tag1: 'quality' }),
  gave({ agentId: 0n, from: client, index: 2, value: -5n, decimals: 1, tag1: 'quality' }),
  gave({ agentId: 0n, from: friend, index: 3, value: 1n, decimals: 0, tag1: 'up\u202e\u0007' }),
  gave({
    agentId: 0n,
    from: friend,
    index: 4,
    value: 1n,
    decimals: 0,
    tag1: 'eas',
    tag2: easUid,
    uri: reviewUri,
  }),
  gave({ agentId: 0n, from: friend, index: 5, value: 1n, decimals: 0, tag1: 'eas', tag2: 'no uid' }),
  (block) => ({
    kind: 'attestationRevoked',
    position: eventPosition(block, 0),
    protocol: agentProtocol,
    localId: feedbackIdAt(3),
    reason: '',
    timestamp: timeOf(block),
    transactionHash: hashAt(block),
  }),
  responded(1, 'ipfs://thanks'),
  changed(1n, { change: 'transferred', from: owner, to: buyer }),
]

/** An event of the registry of identities. */
export function changed(agentId: bigint, change: AgentChangeKind): (block: number) => DomainEvent {
  return (block) => ({
    kind: 'metadataSet',
    position: eventPosition(block, 0),
    protocol: agentProtocol,
    of: 'agent',
    subject: agentSubject(agentId),
    body: agentChangeBody({ ...change, timestamp: timeOf(block), transactionHash: hashAt(block) }),
  })
}

/** Feedback; its local id is `feedbackIdAt(index)`. */
export function gave(feedback: SampleFeedback): (block: number) => DomainEvent {
  feedbackOf.set(feedback.index, feedback)
  return (block) => ({
    kind: 'attestationMade',
    position: eventPosition(block, 0),
    attestation: {
      ...recordOf(block),
      key: { chainId: agentChain, localId: feedbackIdAt(feedback.index) },
      protocol: agentProtocol,
      schemaLocalId: feedbackSchemaId,
      attester: feedback.from,
      recipients: [{ kind: 'text', text: sampleAgentId(feedback.agentId) }],
      data: payloadOf(feedback),
    },
  })
}

/** A response of the owner to the client's feedback for the first agent. */
export function responded(index: number, uri: string): (block: number) => DomainEvent {
  return (block) => ({
    kind: 'metadataSet',
    position: eventPosition(block, 0),
    protocol: agentProtocol,
    of: 'feedbackResponse',
    subject: feedbackIdAt(index),
    body: agentNoteBody({
      agent: agentSubject(0n),
      account: owner,
      client,
      feedbackIndex: String(index),
      uri,
      hash: hashAt(99),
      timestamp: timeOf(block),
      transactionHash: hashAt(block),
    }),
  })
}

/** The events of validations of an agent: their schema, a request to the friend, or a response of the friend. */
export const validationSchemaRegistered = (block: number): DomainEvent => ({
  kind: 'schemaRegistered',
  position: eventPosition(block, 0),
  schema: {
    ...feedbackSchema(block),
    key: { chainId: agentChain, localId: validationSchemaId },
    definition: {
      name: 'Agent validation',
      description: '',
      fields: parseAbiParameters('uint8 response, string responseURI, bytes32 responseHash, string tag').map(
        ({ name, type }) => ({ name, type }),
      ),
    },
  },
})

export function requested(agentId: bigint, requestHash: Hash, uri: string): (block: number) => DomainEvent {
  return (block) => ({
    kind: 'metadataSet',
    position: eventPosition(block, 0),
    protocol: agentProtocol,
    of: 'validationRequest',
    subject: localIdOfUid(requestHash),
    body: agentNoteBody({
      agent: agentSubject(agentId),
      account: friend,
      client: null,
      feedbackIndex: null,
      uri,
      hash: requestHash,
      timestamp: timeOf(block),
      transactionHash: hashAt(block),
    }),
  })
}

export function validated(
  agentId: bigint,
  requestHash: Hash,
  response: number,
  tag: string,
): (block: number) => DomainEvent {
  return (block) => ({
    kind: 'attestationMade',
    position: eventPosition(block, 0),
    attestation: {
      ...recordOf(block),
      key: { chainId: agentChain, localId: localIdOfUid(hashAt(900 + block)) },
      protocol: agentProtocol,
      schemaLocalId: validationSchemaId,
      attester: friend,
      recipients: [{ kind: 'text', text: sampleAgentId(agentId) }],
      indexingValue: requestHash,
      data: encodeAbiParameters(parseAbiParameters('uint8, string, bytes32, string'), [
        response,
        'ipfs://report',
        hashAt(98),
        tag,
      ]) as string as Hex,
    },
  })
}

export function sampleAgentId(agentId: bigint): string {
  return formatAgentId({ chainId: agentChain, subject: agentSubject(agentId) }, identityRegistry)
}

function payloadOf({ index, value, decimals, tag1, tag2 = '', uri = '' }: SampleFeedback): Hex {
  const types = parseAbiParameters('uint64, int128, uint8, string, string, string, string, bytes32')
  const values = [
    BigInt(index),
    value,
    decimals,
    tag1,
    tag2,
    'https://mcp.ada.example',
    uri,
    // A file is verified by its hash, where there is one.
    uri === '' ? hashAt(1) : zeroHash,
  ] as const
  return encodeAbiParameters(types, values) as string as Hex
}

function recordOf(
  block: number,
): Omit<Attestation, 'key' | 'protocol' | 'schemaLocalId' | 'attester' | 'recipients' | 'data'> {
  return {
    position: eventPosition(block, 0),
    transactionHash: hashAt(block),
    transactionSender: null,
    attestTimestamp: timeOf(block),
    indexingValue: '',
    linkedAttestation: null,
    validUntil: 0n,
    revocable: true,
    portal: null,
    contractVersion: null,
    subject: null,
    dataLocation: 'ONCHAIN',
    revocationAtRead: { kind: 'none' },
  }
}

/** An attestation of EAS by the client. */
export function easRecord(block: number, uid: Hash = easUid, recipient: Address = friend): Attestation {
  return {
    ...recordOf(block),
    key: { chainId: agentChain, localId: localIdOfUid(uid) },
    protocol: 'eas',
    schemaLocalId: localIdOfUid(hashAt(500)),
    attester: client,
    recipients: [{ kind: 'address', address: recipient }],
    data: '0x' as Hex,
  }
}

function feedbackSchema(block: number): Schema {
  return {
    key: { chainId: agentChain, localId: feedbackSchemaId },
    protocol: agentProtocol,
    position: eventPosition(block, 0),
    transactionHash: hashAt(block),
    transactionSender: null,
    registrant: reputationRegistry,
    registerTimestamp: timeOf(block),
    revocable: true,
    maxValidFor: 0n,
    resolver: zeroAddress,
    dataLocation: 'ONCHAIN',
    definition: { name: 'Agent feedback', description: '', fields },
    rawText: '',
    context: null,
  }
}
