import fc from 'fast-check'
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  encodeFunctionResult,
  parseAbi,
  parseAbiItem,
  parseAbiParameters,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import {
  parseAddress,
  parseHash,
  parseHex,
  zeroAddress,
  zeroHash,
  type Address,
  type Hash,
  type Hex,
} from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog, DecodeContext, Deployment, ReadResult } from '../protocolAdapter.ts'
import { easAdapter } from './easAdapter.ts'

const abi = parseAbi([
  'struct SchemaRecord { bytes32 uid; address resolver; bool revocable; string schema; }',
  'struct Attestation { bytes32 uid; bytes32 schema; uint64 time; uint64 expirationTime; uint64 revocationTime; bytes32 refUID; address recipient; address attester; bool revocable; bytes data; }',
  'function getSchema(bytes32 uid) view returns (SchemaRecord)',
  'function getAttestation(bytes32 uid) view returns (Attestation)',
  'event Registered(bytes32 indexed uid, address indexed registerer, SchemaRecord schema)',
  'event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)',
  'event Revoked(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)',
  'event Timestamped(bytes32 indexed data, uint64 indexed timestamp)',
  'event RevokedOffchain(address indexed revoker, bytes32 indexed data, uint64 indexed timestamp)',
  'error NotFound()',
])
const olderRegistered = parseAbiItem('event Registered(bytes32 indexed uid, address registerer)')

const eas = address('0x4200000000000000000000000000000000000021')
const registry = address('0x4200000000000000000000000000000000000020')
const attester = address('0x00000000000000000000000000000000000000aa')
const recipient = address('0x00000000000000000000000000000000000000bb')
const resolver = address('0x00000000000000000000000000000000000000cc')
const uid = hash(`0x${'a1'.repeat(32)}`)
const otherUid = hash(`0x${'b2'.repeat(32)}`)
const schemaUid = hash(`0x${'c3'.repeat(32)}`)
const nameSchema = hash('0x44d562ac1d7cd77e232978687fea027ace48f719cf1d58c7888e509663bb87fc')

const deployment: Deployment = {
  protocol: 'eas',
  chainId: 10,
  address: eas,
  schemaRegistry: registry,
  startBlock: 0,
}
const madeAt = 1_716_200_000
const context: DecodeContext = {
  headTimestamp: unixSeconds(madeAt + 1000),
  transactionSender: null,
  transactionLogs: [],
}
const transactionHash = hash(`0x${'7a'.repeat(32)}`)
const position = eventPosition(6_000_000, 3)

const schemaStruct = { uid: schemaUid, resolver, revocable: true, schema: 'bytes32 eventId, uint8 vote' }
const attestationStruct = {
  uid,
  schema: schemaUid,
  time: BigInt(madeAt),
  expirationTime: 2n ** 64n - 1n,
  revocationTime: 0n,
  refUID: zeroHash,
  recipient,
  attester,
  revocable: true,
  data: '0xdead' as `0x${string}`,
}

const registeredLog = logOfRegistered({})
const olderRegisteredLog = logOf(
  registry,
  encodeEventTopics({ abi: [olderRegistered], args: { uid: schemaUid } }),
  encodeAbiParameters([{ type: 'address' }], [attester]),
)
const attestedLog = logOfAttestation('Attested', {})
const revokedLog = logOfAttestation('Revoked', {})

const schemaEvent = {
  kind: 'schemaRegistered',
  position,
  schema: {
    key: { chainId: 10, localId: schemaUid },
    position,
    transactionHash,
    transactionSender: resolver,
    protocol: 'eas',
    registrant: attester,
    registerTimestamp: madeAt,
    revocable: true,
    maxValidFor: 0n,
    context: null,
    resolver,
    dataLocation: 'ONCHAIN',
    definition: {
      name: '',
      description: '',
      fields: [
        { name: 'eventId', type: 'bytes32' },
        { name: 'vote', type: 'uint8' },
      ],
    },
    rawText: 'bytes32 eventId, uint8 vote',
  },
}

describe('a deployment', () => {
  test('has two contracts, or one where no registry is known', () => {
    expect(easAdapter.contractsOf(deployment)).toEqual([eas, registry])
    expect(easAdapter.contractsOf({ ...deployment, schemaRegistry: null })).toEqual([eas])
  })
})

describe('a registered schema', () => {
  const sent = { ...context, transactionSender: resolver }

  test('is decoded completely from its log', () => {
    expect(easAdapter.planRead(deployment, registeredLog)).toBeNull()
    expect(easAdapter.decodeLog(deployment, registeredLog, null, sent)).toEqual({
      kind: 'events',
      events: [schemaEvent],
    })
  })

  test('is read from the registry if the older event leaves it out', () => {
    expect(easAdapter.planRead(deployment, olderRegisteredLog)).toEqual({
      to: registry,
      data: encodeFunctionData({ abi, functionName: 'getSchema', args: [schemaUid] }),
    })
    expect(easAdapter.decodeLog(deployment, olderRegisteredLog, returnedSchema({}), sent)).toEqual({
      kind: 'events',
      events: [schemaEvent],
    })
  })

  test('may have any text, and no resolver', () => {
    const log = logOfRegistered({ schema: 'gm \0 é😀', resolver: zeroAddress, revocable: false })
    expect(onlyEvent(log, null)).toMatchObject({
      schema: {
        rawText: 'gm \0 é😀',
        definition: { fields: [] },
        resolver: zeroAddress,
        revocable: false,
      },
    })
  })

  test('is undecodable if log and record disagree on the uid', () => {
    expect(keptReason(logOfRegistered({ uid: otherUid }), null)).toMatch(/that of another uid, 0xb2/)
    expect(keptReason(olderRegisteredLog, returnedSchema({ uid: otherUid }))).toMatch(/of another uid, 0xb2/)
  })

  test('that the node does not know yet is a stale read', () => {
    const zeros = { uid: zeroHash, resolver: zeroAddress, revocable: false, schema: '' }
    expect(isStale(olderRegisteredLog, returnedSchema(zeros))).toBe(true)
    expect(isStale(olderRegisteredLog, { kind: 'returned', data: hex('0x') })).toBe(true)
    expect(isStale(olderRegisteredLog, null)).toBe(true)
  })
})

describe('a made attestation', () => {
  test('is read from the contract and decoded completely', () => {
    expect(easAdapter.planRead(deployment, attestedLog)).toEqual({
      to: eas,
      data: encodeFunctionData({ abi, functionName: 'getAttestation', args: [uid] }),
    })
    expect(
      easAdapter.decodeLog(deployment, attestedLog, returnedAttestation({ refUID: otherUid }), context),
    ).toEqual({
      kind: 'events',
      events: [
        {
          kind: 'attestationMade',
          position,
          attestation: {
            key: { chainId: 10, localId: uid },
            position,
            transactionHash,
            transactionSender: null,
            protocol: 'eas',
            schemaLocalId: schemaUid,
            attester,
            attestTimestamp: madeAt,
            recipients: [{ kind: 'address', address: recipient }],
            indexingValue: '',
            portal: null,
            contractVersion: null,
            subject: null,
            linkedAttestation: otherUid,
            validUntil: 2n ** 64n - 1n,
            revocable: true,
            data: '0xdead',
            dataLocation: 'ONCHAIN',
            revocationAtRead: { kind: 'none' },
          },
        },
      ],
    })
  })

  test('may have no recipient, no reference, no expiry, no revocation and no data', () => {
    const log = logOfAttestation('Attested', { recipient: zeroAddress })
    const result = returnedAttestation({
      recipient: zeroAddress,
      expirationTime: 0n,
      revocable: false,
      data: '0x',
    })
    expect(onlyEvent(log, result)).toMatchObject({
      attestation: { recipients: [], linkedAttestation: null, validUntil: 0n, revocable: false, data: '0x' },
    })
  })

  test('is the same whether it was read before or after its revocation', () => {
    expect(onlyEvent(attestedLog, returnedAttestation({ revocationTime: BigInt(madeAt + 5) }))).toEqual(
      onlyEvent(attestedLog, returnedAttestation({})),
    )
  })

  test('that the node does not know yet is a stale read', () => {
    const zeros = {
      uid: zeroHash,
      schema: zeroHash,
      time: 0n,
      expirationTime: 0n,
      recipient: zeroAddress,
      attester: zeroAddress,
      revocable: false,
      data: '0x' as const,
    }
    expect(isStale(attestedLog, returnedAttestation(zeros))).toBe(true)
    expect(isStale(attestedLog, { kind: 'returned', data: hex('0x') })).toBe(true)
    expect(isStale(attestedLog, null)).toBe(true)
  })

  test.each([
    ['another uid', { uid: otherUid }, /the record of another uid, 0xb2/],
    ['another schema', { schema: otherUid }, /another schema than its event, 0xb2/],
    ['another attester', { attester: resolver }, /another attester than its event, 0x0+cc$/],
    ['another recipient', { recipient: resolver }, /another recipient than its event, 0x0+cc$/],
    ['a time no block can have', { time: 2n ** 53n }, /no time of attestation/],
  ])('is undecodable where its record has %s', (_, change, reason) => {
    expect(keptReason(attestedLog, returnedAttestation(change))).toMatch(reason)
  })

  test('is undecodable if the read reverts or returns no such struct', () => {
    const error = hex(encodeErrorResult({ abi, errorName: 'NotFound' }))
    expect(keptReason(attestedLog, { kind: 'reverted', data: error })).toMatch(
      /getAttestation\(0xa1.*\) reverted with 0xc5723b51$/,
    )
    expect(keptReason(attestedLog, { kind: 'reverted', data: hex('0x') })).toMatch(/without a reason$/)
    expect(keptReason(attestedLog, { kind: 'returned', data: hex('0x00') })).toMatch(
      /returned no record: byte 0/,
    )
  })
})

describe('an attestation under "Name a Schema"', () => {
  const log = logOfAttestation('Attested', { schemaUID: nameSchema })
  const naming = (data: `0x${string}`): ReadResult => returnedAttestation({ schema: nameSchema, data })
  const payload = encodeAbiParameters(parseAbiParameters('bytes32, string'), [otherUid, 'Vote é'])

  test('also names the schema, at its own position and after itself', () => {
    const outcome = easAdapter.decodeLog(deployment, log, naming(payload), context)
    expect(outcome).toMatchObject({ kind: 'events', events: [{ kind: 'attestationMade', position }, {}] })
    expect(outcome.kind === 'events' ? outcome.events[1] : null).toEqual({
      kind: 'schemaNamed',
      position,
      schemaLocalId: otherUid,
      name: 'Vote é',
    })
  })

  test.each(['0x', '0xdead', `${payload}00`, payload.slice(0, -64)])(
    'names none where its payload is %s',
    (data) => {
      expect(onlyEvent(log, naming(hex(data)))).toMatchObject({
        kind: 'attestationMade',
        attestation: { data },
      })
    },
  )

  test('is what names a schema, and no other attestation with such a payload', () => {
    expect(onlyEvent(attestedLog, returnedAttestation({ data: payload })).kind).toBe('attestationMade')
  })
})

describe('a log that says everything by itself', () => {
  test('is a revocation, timed by its block and without a reason', () => {
    expect(easAdapter.planRead(deployment, revokedLog)).toBeNull()
    expect(onlyEvent(revokedLog, null)).toEqual({
      kind: 'attestationRevoked',
      position,
      protocol: 'eas',
      localId: uid,
      reason: '',
      timestamp: madeAt,
      transactionHash,
    })
  })

  const timestampedLog = logOf(
    eas,
    encodeEventTopics({ abi, eventName: 'Timestamped', args: { data: uid, timestamp: 2n ** 64n - 1n } }),
    '0x',
  )
  const revokedOffchainLog = logOf(
    eas,
    encodeEventTopics({
      abi,
      eventName: 'RevokedOffchain',
      args: { revoker: attester, data: uid, timestamp: 1n },
    }),
    '0x',
  )

  test.each([
    ['Timestamped', timestampedLog, null],
    ['RevokedOffchain', revokedOffchainLog, attester],
  ])('is an anchor: %s', (anchor, log, account) => {
    expect(easAdapter.planRead(deployment, log)).toBeNull()
    expect(onlyEvent(log, null)).toEqual({
      kind: 'anchorMade',
      position,
      protocol: 'eas',
      anchor,
      account,
      value: uid,
      timestamp: log.blockTimestamp,
      transactionHash: log.transactionHash,
      reason: '',
    })
  })

  test('is of the sender, where that is known and the event names nobody', () => {
    const known = { ...context, transactionSender: recipient }
    const accountOf = (log: ChainLog) => {
      const outcome = easAdapter.decodeLog(deployment, log, null, known)
      const [event] = outcome.kind === 'events' ? outcome.events : []
      return event?.kind === 'anchorMade' ? event.account : undefined
    }
    expect(accountOf(timestampedLog)).toBe(recipient)
    expect(accountOf(revokedOffchainLog)).toBe(attester)
  })
})

describe('the event of a record', () => {
  test.each([
    ['schemaRegistered', registeredLog, schemaUid],
    ['schemaRegistered', olderRegisteredLog, schemaUid],
    ['attestationMade', attestedLog, uid],
    ['attestationRevoked', revokedLog, uid],
  ])('is told by the log alone, whoever made it: %s', (kind, log, localId) => {
    expect(easAdapter.identifyEvent({ ...log, address: attester })).toEqual({ kind, localId })
  })

  test('is no anchor, and nothing that cannot be read', () => {
    const topics = encodeEventTopics({ abi, eventName: 'Timestamped', args: { data: uid, timestamp: 1n } })
    expect(easAdapter.identifyEvent(logOf(eas, topics, '0x'))).toBeNull()
    expect(easAdapter.identifyEvent({ ...attestedLog, data: hex('0x') })).toBeNull()
    expect(easAdapter.identifyEvent({ ...attestedLog, topics: [] })).toBeNull()
  })
})

describe('a log that no rule can read', () => {
  test.each([
    ['a registration by the EAS contract', { ...registeredLog, address: eas }],
    ['an older registration by the EAS contract', { ...olderRegisteredLog, address: eas }],
    ['an attestation by the registry', { ...attestedLog, address: registry }],
    ['a revocation by the registry', { ...revokedLog, address: registry }],
  ])('is kept, and nothing is read for it: %s', (_, log) => {
    expect(easAdapter.planRead(deployment, log)).toBeNull()
    expect(keptReason(log, null)).toMatch(/which is not the contract that makes it$/)
  })

  test('is a registration if the deployment names no registry', () => {
    const log = { ...registeredLog, address: eas }
    expect(easAdapter.decodeLog({ ...deployment, schemaRegistry: null }, log, null, context)).toMatchObject({
      events: [{ kind: 'undecodableLog' }],
    })
  })

  test.each([
    ['without a topic', { ...attestedLog, topics: [] }, /no event of EAS/],
    ['of an unknown event', { ...attestedLog, topics: [hex(uid)] }, /no event of EAS/],
    [
      'with a topic too few',
      { ...attestedLog, topics: attestedLog.topics.slice(0, 3) },
      /has 4 topics, the log 3$/,
    ],
    [
      'with dirty bytes in an address',
      { ...attestedLog, topics: attestedLog.topics.with(1, hex(uid)) },
      /indexed values byte 0 is no address/,
    ],
    ['with data too short', { ...attestedLog, data: hex('0x') }, /byte 0 should begin another word/],
    ['with data too long', { ...revokedLog, data: hex(`${revokedLog.data}00`) }, /byte 32 should be the end/],
    ['with a record that is none', { ...registeredLog, data: hex('0x20') }, /byte 0 should begin/],
    [
      'with a registerer that is none',
      { ...registeredLog, topics: registeredLog.topics.with(2, hex(uid)) },
      /byte 32 is no address/,
    ],
  ])('is kept whole with the reason: %s', (_, log, reason) => {
    expect(easAdapter.planRead(deployment, log)).toBeNull()
    expect(keptReason(log, null)).toMatch(reason)
  })
})

describe('whatever logs and answers hold', () => {
  const validAnswers = [returnedSchema({}).data, returnedAttestation({}).data]
  // Unchanged inputs are frequent enough that each run of the test meets every kind of event.
  const answer = fc.oneof(
    fc.constantFrom(...validAnswers).map((data): ReadResult => ({ kind: 'returned', data })),
    hostilePayload(fc.constantFrom(...validAnswers)).map((data): ReadResult => ({ kind: 'returned', data })),
    hostilePayload(fc.constant(hex('0xc5723b51'))).map((data): ReadResult => ({ kind: 'reverted', data })),
    fc.constant(null),
  )
  const validLogs = [registeredLog, olderRegisteredLog, attestedLog, revokedLog]
  const changedLog = fc
    .record({
      base: fc.constantFrom(...validLogs),
      from: fc.constantFrom(eas, registry, attester),
      own: fc.boolean(),
      topicCount: fc.constantFrom(0, 1, 2, 3, 4, 4, 4),
      topic: fc.constantFrom<Hash | null>(null, uid, zeroHash),
      cut: fc.nat(3),
    })
    .chain(({ base, from, own, topicCount, topic, cut }) =>
      hostilePayload(fc.constant(base.data)).map((data) => ({
        ...base,
        data,
        address: own ? base.address : from,
        topics: base.topics
          .slice(0, topicCount)
          .map((old, index) => (index === cut && topic !== null ? hex(topic) : old)),
      })),
    )

  const anyLog = fc.oneof(fc.constantFrom(...validLogs), changedLog)

  test('each log gives one outcome, at its position, and the same one again', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyLog, answer, (log, result) => {
        easAdapter.planRead(deployment, log)
        const outcome = easAdapter.decodeLog(deployment, log, result, context)
        expect(easAdapter.decodeLog(deployment, log, result, context)).toEqual(outcome)
        const events = outcome.kind === 'events' ? outcome.events : []
        for (const event of events) {
          seen.add(event.kind)
          expect(event.position).toBe(position)
        }
        expect(outcome.kind === 'staleRead' || events.length > 0).toBe(true)
      }),
      { numRuns: 5000 },
    )
    expect([...seen].toSorted()).toEqual([
      'attestationMade',
      'attestationRevoked',
      'schemaRegistered',
      'undecodableLog',
    ])
  })
})

function onlyEvent(log: ChainLog, result: ReadResult | null): DomainEvent {
  const outcome = easAdapter.decodeLog(deployment, log, result, context)
  if (outcome.kind === 'staleRead') throw new Error(`stale: ${outcome.reason}`)
  const [event, ...more] = outcome.events
  if (event === undefined || more.length > 0) throw new Error(`${outcome.events.length} events`)
  return event
}

/** The reason of an undecodable log, which must be kept whole. */
function keptReason(log: ChainLog, result: ReadResult | null): string {
  const event = onlyEvent(log, result)
  if (event.kind !== 'undecodableLog') throw new Error(`the log is a ${event.kind}`)
  const { reason, ...kept } = event
  expect(kept).toEqual({
    kind: 'undecodableLog',
    position,
    protocol: 'eas',
    contract: log.address,
    topics: log.topics,
    data: log.data,
    transactionHash,
  })
  return reason
}

function isStale(log: ChainLog, result: ReadResult | null): boolean {
  return easAdapter.decodeLog(deployment, log, result, context).kind === 'staleRead'
}

function returnedSchema(change: Partial<typeof schemaStruct>): Extract<ReadResult, { kind: 'returned' }> {
  const result = { ...schemaStruct, ...change }
  return { kind: 'returned', data: hex(encodeFunctionResult({ abi, functionName: 'getSchema', result })) }
}

function returnedAttestation(
  change: Partial<typeof attestationStruct>,
): Extract<ReadResult, { kind: 'returned' }> {
  const result = { ...attestationStruct, ...change }
  return {
    kind: 'returned',
    data: hex(encodeFunctionResult({ abi, functionName: 'getAttestation', result })),
  }
}

function logOfRegistered(change: Partial<typeof schemaStruct>): ChainLog {
  const topics = encodeEventTopics({
    abi,
    eventName: 'Registered',
    args: { uid: schemaUid, registerer: attester },
  })
  // The event's data and the getter's answer have the same form.
  return logOf(registry, topics, returnedSchema(change).data)
}

function logOfAttestation(
  eventName: 'Attested' | 'Revoked',
  change: { readonly recipient?: Address; readonly schemaUID?: Hash },
): ChainLog {
  const args = { recipient, attester, schemaUID: schemaUid, ...change }
  return logOf(eas, encodeEventTopics({ abi, eventName, args }), uid)
}

function logOf(from: Address, topics: readonly unknown[], data: string): ChainLog {
  return {
    address: from,
    topics: topics.map((topic) => hex(String(topic))),
    data: hex(data),
    blockNumber: 6_000_000,
    blockHash: hash(`0x${'b1'.repeat(32)}`),
    blockTimestamp: unixSeconds(madeAt),
    transactionHash,
    position,
  }
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hex`)
  return parsed
}

function hash(text: string): Hash {
  const parsed = parseHash(text)
  if (parsed === null) throw new Error(`${text} is no hash`)
  return parsed
}

function address(text: string): Address {
  const parsed = parseAddress(text)
  if (parsed === null) throw new Error(`${text} is no address`)
  return parsed
}
