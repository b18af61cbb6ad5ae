import {
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  parseAbi,
  type AbiEvent,
  type Hex as ViemHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { agentSubject, feedbackSchemaId, validationSchemaId } from '../../model/agents.ts'
import { checksumAddress } from '../../model/checksumAddress.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import type { Address, Hash, Hex } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import { decodePayload } from '../decodePayload.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'
import { erc8004EventTypes } from './erc8004Abi.ts'
import { erc8004Adapter } from './erc8004Adapter.ts'

const identity = `0x${'a1'.repeat(20)}` as Address
const reputation = `0x${'b2'.repeat(20)}` as Address
const validation = `0x${'c3'.repeat(20)}` as Address
const owner = `0x${'11'.repeat(20)}` as Address
const client = `0x${'22'.repeat(20)}` as Address
const hash = `0x${'ef'.repeat(32)}` as Hash
const deployment: Deployment = {
  protocol: 'erc8004',
  chainId: 5,
  address: identity,
  schemaRegistry: null,
  reputationRegistry: reputation,
  validationRegistry: validation,
  startBlock: 0,
}

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

type Arguments = Readonly<Record<string, unknown>>

const zero = `0x${'0'.repeat(40)}`
const feedbackArguments: Arguments = {
  agentId: 7n,
  clientAddress: client,
  feedbackIndex: 1n,
  value: -12_345n,
  valueDecimals: 2,
  indexedTag1: 'quality',
  tag1: 'quality',
  tag2: 'a\u0000b\u202e\n',
  endpoint: 'https://a.example',
  feedbackURI: '',
  feedbackHash: hash,
}

describe('identities', () => {
  test('a registration, a new URI, metadata and a transfer are versions of the agent', () => {
    const events = [
      logOf('Registered', identity, { agentId: 7n, agentURI: 'ipfs://x', owner }),
      logOf('URIUpdated', identity, { agentId: 7n, newURI: 'data:,', updatedBy: client }),
      logOf('MetadataSet', identity, {
        agentId: 7n,
        indexedMetadataKey: 'agentWallet',
        metadataKey: 'agentWallet',
        metadataValue: client,
      }),
      logOf('Transfer', identity, { from: owner, to: client, tokenId: 7n }),
    ].flatMap((log) => decode(log))
    expect(events.map(bodyOf)).toMatchObject([
      { change: 'registered', owner, uri: 'ipfs://x', timestamp: 1_000 },
      { change: 'uriUpdated', uri: 'data:,', by: client },
      { change: 'metadataSet', key: 'agentWallet', value: client },
      { change: 'transferred', from: owner, to: client },
    ])
    expect(events).toEqual(
      events.map(() => expect.objectContaining({ of: 'agent', subject: agentSubject(7n) }) as unknown),
    )
  })

  test('the first agent brings the built-in schemas, and no other agent does', () => {
    const mint = decode(logOf('Transfer', identity, { from: zero, to: owner, tokenId: 0n }))
    const registered = decode(logOf('Registered', identity, { agentId: 0n, agentURI: '', owner }))
    expect(mint).toMatchObject([
      { kind: 'schemaRegistered', schema: { key: { localId: feedbackSchemaId }, registrant: reputation } },
    ])
    expect(registered).toMatchObject([
      { kind: 'schemaRegistered', schema: { key: { localId: validationSchemaId }, registrant: validation } },
      { kind: 'metadataSet' },
    ])
    expect(decode(logOf('Transfer', identity, { from: zero, to: owner, tokenId: 1n }))).toEqual([])
  })

  test('a registration of a megabyte and the greatest number are kept whole', () => {
    const agentURI = `data:application/json,${'x'.repeat(1_000_000)}`
    const agentId = 2n ** 256n - 1n
    const [event] = decode(logOf('Registered', identity, { agentId, agentURI, owner }))
    expect(bodyOf(event)).toMatchObject({ uri: agentURI })
    expect(event).toMatchObject({ subject: `0x${'f'.repeat(64)}` })
  })
})

describe('feedback', () => {
  test('is an attestation whose payload is the data of its log', () => {
    const log = logOf('NewFeedback', reputation, feedbackArguments)
    const localId = keccak256(
      encodeAbiParameters([{ type: 'uint256' }, { type: 'address' }, { type: 'uint64' }], [7n, client, 1n]),
    )
    const [event] = decode(log)
    expect(event).toMatchObject({
      kind: 'attestationMade',
      attestation: {
        key: { chainId: 5, localId },
        schemaLocalId: feedbackSchemaId,
        attester: client,
        recipients: [{ kind: 'text', text: `eip155:5:${checksumAddress(identity)}/7` }],
        revocable: true,
      },
    })
    expect(payloadOf(event)).toMatchObject({
      kind: 'decoded',
      values: {
        feedbackIndex: '1',
        value: '-12345',
        valueDecimals: '2',
        tag1: 'quality',
        tag2: 'a\u0000b\u202e\n',
        feedbackHash: hash,
      },
    })
    expect(erc8004Adapter.identifyEvent(log)).toEqual({ kind: 'attestationMade', localId })
    const revoked = logOf('FeedbackRevoked', reputation, {
      agentId: 7n,
      clientAddress: client,
      feedbackIndex: 1n,
    })
    expect(decode(revoked)).toMatchObject([{ kind: 'attestationRevoked', localId }])
    expect(erc8004Adapter.identifyEvent(revoked)).toEqual({ kind: 'attestationRevoked', localId })
  })

  test('whose value is no int128 is kept with the reason', () => {
    const data = logOf('NewFeedback', reputation, feedbackArguments).data
    const word = (2n ** 127n).toString(16).padStart(64, '0')
    const log = { ...logOf('NewFeedback', reputation, feedbackArguments), data: spliceWord(data, 1, word) }
    expect(decode(log)).toMatchObject([
      { kind: 'undecodableLog', reason: expect.stringContaining('is no int128') as unknown },
    ])
  })

  test('the least value is an int128', () => {
    const [event] = decode(logOf('NewFeedback', reputation, { ...feedbackArguments, value: -(2n ** 127n) }))
    expect(payloadOf(event)).toMatchObject({ values: { value: String(-(2n ** 127n)) } })
  })

  test.each(erc8004EventTypes.filter(({ kind }) => kind === 'oldFeedback'))(
    'of the form $signature is kept with the reason',
    ({ topic }) => {
      const log = { ...logOf('NewFeedback', reputation, feedbackArguments), topics: [topic] }
      expect(decode(log)).toMatchObject([
        { kind: 'undecodableLog', reason: expect.stringContaining('before the registries') as unknown },
      ])
    },
  )

  test('has responses, which are notes about it', () => {
    const [event] = decode(
      logOf('ResponseAppended', reputation, {
        agentId: 7n,
        clientAddress: client,
        feedbackIndex: 1n,
        responder: owner,
        responseURI: 'ipfs://r',
        responseHash: hash,
      }),
    )
    expect(event).toMatchObject({ kind: 'metadataSet', of: 'feedbackResponse' })
    expect(bodyOf(event)).toMatchObject({ agent: agentSubject(7n), account: owner, client, uri: 'ipfs://r' })
  })
})

describe('validations', () => {
  const request = { validatorAddress: client, agentId: 7n, requestHash: hash }

  test('are requested by a note and made by the response of the validator', () => {
    const [asked] = decode(logOf('ValidationRequest', validation, { ...request, requestURI: 'ipfs://q' }))
    expect(asked).toMatchObject({ kind: 'metadataSet', of: 'validationRequest', subject: hash })
    const [made] = decode(response(0))
    expect(made).toMatchObject({
      kind: 'attestationMade',
      attestation: { schemaLocalId: validationSchemaId, attester: client, indexingValue: hash },
    })
    expect(payloadOf(made)).toMatchObject({ values: { response: '90', tag: 'tee' } })
  })

  test('may be made twice in one transaction, each with an id of its own', () => {
    const logs = [response(0), response(1)]
    const ids = logs.flatMap((log) =>
      decode(log, logs).map((event) => event.kind === 'attestationMade' && event.attestation.key.localId),
    )
    expect(new Set(ids).size).toBe(2)
  })

  function response(index: number): ChainLog {
    const said = { response: 90, responseURI: '', responseHash: hash, tag: 'tee' }
    return {
      ...logOf('ValidationResponse', validation, { ...request, ...said }),
      position: eventPosition(9, index),
    }
  }
})

test.each([
  ['from another contract', { address: client }, 'is not the contract that makes it'],
  ['without its topics', { topics: [erc8004EventTypes[0]?.topic as Hex] }, 'has 3 topics, the log 1'],
  [
    'with data behind its end',
    { data: `${encodedText('')}00`.padEnd(130 + 64, '0') as Hex },
    'should be the end',
  ],
])('a log %s is kept with the reason', (_, change, reason) => {
  const log = { ...logOf('Registered', identity, { agentId: 7n, agentURI: '', owner }), ...change }
  expect(decode(log)).toMatchObject([
    { kind: 'undecodableLog', reason: expect.stringContaining(reason) as unknown },
  ])
})

test('metadata under another key than its topic names is kept with the reason', () => {
  const given = { agentId: 7n, indexedMetadataKey: 'a', metadataKey: 'b', metadataValue: '0x' }
  expect(decode(logOf('MetadataSet', identity, given))).toMatchObject([{ kind: 'undecodableLog' }])
})

function encodedText(text: string): ViemHex {
  return encodeAbiParameters([{ type: 'string' }], [text])
}

function logOf(name: string, address: Address, args: Arguments): ChainLog {
  const event = abi.find((each): each is (typeof abi)[number] => each.name === name) as AbiEvent
  const plain = event.inputs.filter(({ indexed }) => indexed !== true)
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name: input }) => args[input ?? '']),
  )
  return {
    address,
    topics: encodeEventTopics({ abi: [event], args }) as readonly string[] as readonly Hex[],
    data: data as string as Hex,
    blockNumber: 9,
    blockHash: hash,
    blockTimestamp: unixSeconds(1_000),
    transactionHash: hash,
    position: eventPosition(9, 0),
  }
}

function decode(log: ChainLog, logs: readonly ChainLog[] = [log]): readonly DomainEvent[] {
  const outcome = erc8004Adapter.decodeLog(deployment, log, null, {
    headTimestamp: unixSeconds(2_000),
    transactionSender: null,
    transactionLogs: logs,
  })
  expect(erc8004Adapter.planRead(deployment, log)).toBeNull()
  if (outcome.kind !== 'events') throw new Error('every log has its events')
  return outcome.events
}

function bodyOf(event: DomainEvent | undefined): unknown {
  return event?.kind === 'metadataSet' ? JSON.parse(event.body) : null
}

function payloadOf(event: DomainEvent | undefined): unknown {
  if (event?.kind !== 'attestationMade') return null
  const { schemaLocalId, data } = event.attestation
  const first = [
    ...decode(logOf('Transfer', identity, { from: zero, to: owner, tokenId: 0n })),
    ...decode(logOf('Registered', identity, { agentId: 0n, agentURI: '', owner })),
  ]
  const schema = first.find(
    (each) => each.kind === 'schemaRegistered' && each.schema.key.localId === schemaLocalId,
  )
  const fields = schema?.kind === 'schemaRegistered' ? schema.schema.definition.fields : []
  const decoded = decodePayload(fields, data, 'ONCHAIN', erc8004Adapter.payloadForm)
  if (decoded.kind !== 'decoded') return decoded
  return { ...decoded, values: Object.fromEntries(decoded.values.map(({ name, value }) => [name, value])) }
}

function spliceWord(data: Hex, index: number, word: string): Hex {
  const at = 2 + index * 64
  return `${data.slice(0, at)}${word}${data.slice(at + 64)}` as Hex
}
