import fc from 'fast-check'
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  encodeFunctionResult,
  padHex,
  parseAbi,
  toHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import { parseAddress, parseHash, parseHex, type Address, type Hex } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog, DecodeContext, Deployment, ReadResult } from '../protocolAdapter.ts'
import { signAdapter } from './signAdapter.ts'

const abi = parseAbi([
  'struct Schema { address registrant; bool revocable; uint8 dataLocation; uint64 maxValidFor; address hook; uint64 timestamp; string data; }',
  'struct Attestation { uint64 schemaId; uint64 linkedAttestationId; uint64 attestTimestamp; uint64 revokeTimestamp; address attester; uint64 validUntil; uint8 dataLocation; bool revoked; bytes[] recipients; bytes data; }',
  'function getSchema(uint64 schemaId) view returns (Schema)',
  'function getAttestation(uint64 attestationId) view returns (Attestation)',
  'event SchemaRegistered(uint64 schemaId)',
  'event AttestationMade(uint64 attestationId, string indexingKey)',
  'event AttestationRevoked(uint64 attestationId, string reason)',
  'event OffchainAttestationMade(string attestationId)',
  'event OffchainAttestationRevoked(string attestationId, string reason)',
  'error LegacySPRequired()',
  'error Paused()',
  'error Error(string)',
])
const legacyAbi = parseAbi([
  'event SchemaRegistered(uint256 schemaId)',
  'event AttestationMade(uint256 attestationId, string indexingKey)',
  'event AttestationRevoked(uint256 attestationId, string reason)',
])

const contract = address('0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5')
const attester = address('0x00000000000000000000000000000000000000aa')
const other = address('0x00000000000000000000000000000000000000bb')
const relayer = address('0x00000000000000000000000000000000000000cc')
const nobody = address('0x0000000000000000000000000000000000000000')

const deployment: Deployment = {
  protocol: 'sign',
  chainId: 11155111,
  address: contract,
  schemaRegistry: null,
  startBlock: 5658228,
}
const madeAt = 1_716_200_000
const context: DecodeContext = {
  headTimestamp: unixSeconds(madeAt + 1000),
  transactionSender: null,
  transactionLogs: [],
}
const transactionHash = hash(`0x${'7a'.repeat(32)}`)
const position = eventPosition(6_000_000, 3)

const schemaText = '{"name":"Ticket","description":"d","data":[{"name":"seat","type":"uint256"}]}'
const schemaStruct = {
  registrant: attester,
  revocable: true,
  dataLocation: 0,
  maxValidFor: 2n ** 64n - 1n,
  hook: other,
  timestamp: BigInt(madeAt),
  data: schemaText,
}
const attestationStruct = {
  schemaId: 0x1fn,
  linkedAttestationId: 0n,
  attestTimestamp: BigInt(madeAt),
  revokeTimestamp: 0n,
  attester,
  validUntil: 2n ** 64n - 1n,
  dataLocation: 0,
  revoked: false,
  recipients: [] as `0x${string}`[],
  data: '0xdead' as `0x${string}`,
}

const schemaLog = logOf(abi, 'SchemaRegistered', words(0x1fn))
const attestationLog = logOf(abi, 'AttestationMade', idAndText(0x1an, 'key'))

describe('a registered schema', () => {
  const read = { to: contract, data: encodeFunctionData({ abi, functionName: 'getSchema', args: [0x1fn] }) }

  test.each([
    ['1.1', schemaLog],
    ['1.0', logOf(legacyAbi, 'SchemaRegistered', words(0x1fn))],
  ])('is read from the contract and decoded completely, for events of version %s', (_, log) => {
    expect(signAdapter.planRead(deployment, log)).toEqual(read)
    expect(
      signAdapter.decodeLog(deployment, log, returnedSchema({}), { ...context, transactionSender: relayer }),
    ).toEqual({
      kind: 'events',
      events: [
        {
          kind: 'schemaRegistered',
          position,
          schema: {
            key: { chainId: 11155111, localId: '0x1f' },
            position,
            transactionHash,
            transactionSender: relayer,
            protocol: 'sign',
            registrant: attester,
            registerTimestamp: madeAt,
            revocable: true,
            maxValidFor: 2n ** 64n - 1n,
            context: null,
            resolver: other,
            dataLocation: 'ONCHAIN',
            definition: {
              name: 'Ticket',
              description: 'd',
              fields: [{ name: 'seat', type: 'uint256' }],
            },
            rawText: schemaText,
          },
        },
      ],
    })
  })

  test.each([
    [1, 'ARWEAVE'],
    [2, 'IPFS'],
    [3, 'CUSTOM'],
  ])('that is kept elsewhere (%i, %s) has what its text defines, be it nothing', (dataLocation, name) => {
    const decode = (data: string) =>
      signAdapter.decodeLog(deployment, schemaLog, returnedSchema({ dataLocation, data }), context)
    expect(decode('Zt7y3uPqk0v2N5wXo1eC8mRj4LbD6sAhGfTiUcYxQWE')).toMatchObject({
      events: [{ schema: { dataLocation: name, definition: { name: '', description: '', fields: [] } } }],
    })
    expect(decode(schemaText)).toMatchObject({
      events: [{ schema: { dataLocation: name, rawText: schemaText, definition: { name: 'Ticket' } } }],
    })
  })

  test('that the node does not know yet is a stale read', () => {
    const zeros = {
      registrant: nobody,
      revocable: false,
      maxValidFor: 0n,
      hook: nobody,
      timestamp: 0n,
      data: '',
    }
    expect(isStale(schemaLog, returnedSchema(zeros))).toBe(true)
    expect(isStale(schemaLog, { kind: 'returned', data: hex('0x') })).toBe(true)
    expect(isStale(schemaLog, null)).toBe(true)
  })

  test('is undecodable if its location is unknown or no block can have its time', () => {
    expect(keptReason(schemaLog, returnedSchema({ dataLocation: 4 }))).toMatch(/returned no schema: byte 96/)
    expect(keptReason(schemaLog, returnedSchema({ timestamp: 2n ** 53n }))).toMatch(/time of registration/)
  })
})

describe('a made attestation', () => {
  const read = {
    to: contract,
    data: encodeFunctionData({ abi, functionName: 'getAttestation', args: [0x1an] }),
  }

  test.each([
    ['1.1', attestationLog],
    ['1.0', logOf(legacyAbi, 'AttestationMade', idAndText(0x1an, 'key'))],
  ])('is read from the contract and decoded completely, for events of version %s', (_, log) => {
    const recipients = [
      padHex(other),
      encodeAbiParameters([{ type: 'string' }], ['did:key:z6Mk']),
      encodeAbiParameters([{ type: 'string' }], [attester]),
      relayer,
      '0x' as const,
    ]
    expect(signAdapter.planRead(deployment, log)).toEqual(read)
    expect(
      signAdapter.decodeLog(
        deployment,
        log,
        returnedAttestation({ recipients, linkedAttestationId: 2n ** 64n - 1n }),
        context,
      ),
    ).toEqual({
      kind: 'events',
      events: [
        {
          kind: 'attestationMade',
          position,
          attestation: {
            key: { chainId: 11155111, localId: '0x1a' },
            position,
            transactionHash,
            transactionSender: null,
            protocol: 'sign',
            schemaLocalId: '0x1f',
            attester,
            attestTimestamp: madeAt,
            recipients: [
              { kind: 'address', address: other },
              { kind: 'text', text: 'did:key:z6Mk' },
              { kind: 'address', address: attester },
              { kind: 'address', address: relayer },
              { kind: 'bytes', bytes: '0x' },
            ],
            indexingValue: 'key',
            portal: null,
            contractVersion: null,
            subject: null,
            linkedAttestation: '0xffffffffffffffff',
            validUntil: 2n ** 64n - 1n,
            revocable: null,
            data: '0xdead',
            dataLocation: 'ONCHAIN',
            revocationAtRead: { kind: 'none' },
          },
        },
      ],
    })
  })

  test('may have no recipient, no link, no data and an odd indexing value', () => {
    const log = logOf(abi, 'AttestationMade', idAndText(0x1an, '\0 é😀'))
    expect(
      signAdapter.decodeLog(deployment, log, returnedAttestation({ data: '0x', dataLocation: 2 }), context),
    ).toMatchObject({
      events: [
        {
          attestation: {
            recipients: [],
            linkedAttestation: null,
            data: '0x',
            indexingValue: '\0 é😀',
            dataLocation: 'IPFS',
          },
        },
      ],
    })
  })

  test('says that it reads as revoked, and whether it was born so', () => {
    const revocationOf = (revokeTimestamp: bigint): unknown =>
      signAdapter.decodeLog(
        deployment,
        attestationLog,
        returnedAttestation({ revoked: true, revokeTimestamp }),
        context,
      )
    const later = BigInt(madeAt + 1)
    expect(revocationOf(later)).toMatchObject({
      events: [{ attestation: { revocationAtRead: { kind: 'claimed', timestamp: later } } }],
    })
    expect(revocationOf(0n)).toMatchObject({
      events: [{ attestation: { revocationAtRead: { kind: 'made', timestamp: 0n } } }],
    })
  })

  test('that the node does not know yet is a stale read', () => {
    const zeros = { schemaId: 0n, attestTimestamp: 0n, attester: nobody, validUntil: 0n, data: '0x' as const }
    expect(isStale(attestationLog, returnedAttestation(zeros))).toBe(true)
    expect(isStale(attestationLog, { kind: 'returned', data: hex('0x') })).toBe(true)
    expect(isStale(attestationLog, null)).toBe(true)
  })

  test.each([
    ['LegacySPRequired', encodeErrorResult({ abi, errorName: 'LegacySPRequired' }), /LegacySPRequired\(\)/],
    ['nothing', '0x', /getAttestation\(0x1a\) reverted without a reason/],
    ['another error', encodeErrorResult({ abi, errorName: 'Paused' }), /reverted with 0x9e87fac8$/],
    ['a message', encodeErrorResult({ abi, errorName: 'Error', args: ['rpc key'] }), /with 0x08c379a0$/],
  ])('that cannot be had, as the read reverts with %s, is undecodable', (_, data, reason) => {
    expect(keptReason(attestationLog, { kind: 'reverted', data: hex(data) })).toMatch(reason)
  })

  test('is undecodable where the read returns no such struct or a time no block can have', () => {
    expect(keptReason(attestationLog, { kind: 'returned', data: hex('0x00') })).toMatch(
      /returned no attestation/,
    )
    expect(keptReason(attestationLog, returnedAttestation({ attestTimestamp: 2n ** 53n }))).toMatch(
      /time of attest/,
    )
    expect(keptReason(attestationLog, returnedAttestation({ dataLocation: 4 }))).toMatch(
      /returned no attestation/,
    )
  })
})

describe('a log that says everything by itself', () => {
  test.each([
    ['1.1', logOf(abi, 'AttestationRevoked', idAndText(0x1an, 'it was wrong'))],
    ['1.0', logOf(legacyAbi, 'AttestationRevoked', idAndText(0x1an, 'it was wrong'))],
  ])('is a revocation, timed by its block, in version %s', (_, log) => {
    expect(signAdapter.planRead(deployment, log)).toBeNull()
    expect(signAdapter.decodeLog(deployment, log, null, context)).toEqual({
      kind: 'events',
      events: [
        {
          kind: 'attestationRevoked',
          position,
          protocol: 'sign',
          localId: '0x1a',
          reason: 'it was wrong',
          timestamp: madeAt,
          transactionHash,
        },
      ],
    })
  })

  test.each([
    ['OffchainAttestationMade', '', encodeAbiParameters([{ type: 'string' }], ['SPA_1'])],
    [
      'OffchainAttestationRevoked',
      'old',
      encodeAbiParameters([{ type: 'string' }, { type: 'string' }], ['SPA_1', 'old']),
    ],
  ])('is an anchor: %s', (name, reason, data) => {
    const log = logOf(abi, name, data)
    expect(signAdapter.planRead(deployment, log)).toBeNull()
    expect(signAdapter.decodeLog(deployment, log, null, context)).toEqual({
      kind: 'events',
      events: [
        {
          kind: 'anchorMade',
          position,
          protocol: 'sign',
          anchor: name,
          account: null,
          value: 'SPA_1',
          timestamp: log.blockTimestamp,
          transactionHash: log.transactionHash,
          reason,
        },
      ],
    })
  })
})

describe('the event of a record', () => {
  test.each([
    ['schemaRegistered', logOf(abi, 'SchemaRegistered', words(0x1an))],
    ['schemaRegistered', logOf(legacyAbi, 'SchemaRegistered', words(0x1an))],
    ['attestationMade', logOf(abi, 'AttestationMade', idAndText(0x1an, 'key'))],
    ['attestationRevoked', logOf(abi, 'AttestationRevoked', idAndText(0x1an, ''))],
  ])('is told by the log alone: %s', (kind, log) => {
    expect(signAdapter.identifyEvent(log)).toEqual({ kind, localId: '0x1a' })
  })

  test('is no anchor, and nothing that cannot be read', () => {
    const text = encodeAbiParameters([{ type: 'string' }], ['SPA_1'])
    expect(signAdapter.identifyEvent(logOf(abi, 'OffchainAttestationMade', text))).toBeNull()
    expect(signAdapter.identifyEvent(logOf(abi, 'AttestationMade', words(0x1an)))).toBeNull()
  })
})

describe('a log that no rule can read', () => {
  test.each([
    ['has no topic', { ...schemaLog, topics: [] }, /topic/],
    ['has an unknown topic', { ...schemaLog, topics: [hex(`0x${'ab'.repeat(32)}`)] }, /topic/],
    [
      'has an indexed parameter',
      { ...schemaLog, topics: [...schemaLog.topics, hex(padHex('0x1f'))] },
      /one topic, the log 2/,
    ],
    ['has no data', { ...schemaLog, data: hex('0x') }, /SchemaRegistered\(uint64\): byte 0/],
    [
      'is cut off',
      { ...attestationLog, data: hex(attestationLog.data.slice(0, -64)) },
      /byte 64 announces 3 bytes/,
    ],
    ['goes on', { ...schemaLog, data: hex(`${schemaLog.data}00`) }, /byte 32 should be the end/],
    ['has an id beyond a uint64', logOf(abi, 'SchemaRegistered', words(2n ** 64n)), /no uint64/],
    [
      'has a legacy id beyond a uint64',
      logOf(legacyAbi, 'AttestationMade', idAndText(2n ** 64n, '')),
      /AttestationMade\(uint256,string\): byte 0 is no uint64/,
    ],
  ])('is kept whole with the reason where it %s', (_, log, reason) => {
    expect(signAdapter.planRead(deployment, log)).toBeNull()
    expect(keptReason(log, null)).toMatch(reason)
  })
})

test('the topics are those of every event of both versions', () => {
  const names = abi.filter((item) => item.type === 'event').map((item) => item.name)
  const legacyNames = legacyAbi.map((item) => item.name)
  expect([...signAdapter.topics].sort()).toEqual(
    [
      ...names.map((name) => topicOf(abi, name)),
      ...legacyNames.map((name) => topicOf(legacyAbi, name)),
    ].sort(),
  )
  expect(signAdapter.contractsOf(deployment)).toEqual([contract])
})

test('no log and no answer makes the adapter throw or stay silent', () => {
  const changedLog = fc
    .tuple(
      fc.constantFrom(...signAdapter.topics),
      hostilePayload(
        fc.constantFrom(
          schemaLog.data,
          attestationLog.data,
          hex(encodeAbiParameters([{ type: 'string' }], ['a'])),
          hex(encodeAbiParameters([{ type: 'string' }, { type: 'string' }], ['a', 'b'])),
        ),
      ),
    )
    .map(([topic, data]): ChainLog => ({ ...schemaLog, topics: [topic], data }))
  // Unchanged inputs are frequent enough that each run of the test meets every kind of event.
  const log = fc.oneof(fc.constantFrom(schemaLog, attestationLog), changedLog)
  const answers = [
    returnedSchema({}).data,
    returnedAttestation({
      recipients: [padHex(other), '0x', encodeAbiParameters([{ type: 'string' }], ['x'])],
    }).data,
  ]
  const changedAnswer = fc.tuple(
    fc.constantFrom('returned', 'reverted'),
    fc.oneof(fc.constant(hex('0x')), hostilePayload(fc.constantFrom(...answers))),
  )
  const result = fc
    .oneof(fc.tuple(fc.constant('returned'), fc.constantFrom(...answers)), changedAnswer)
    .map(([kind, data]): ReadResult => ({ kind, data }))
  const kinds = new Set<string>()
  fc.assert(
    fc.property(log, result, (anyLog, anyResult) => {
      const read = signAdapter.planRead(deployment, anyLog)
      const outcome = signAdapter.decodeLog(deployment, anyLog, read === null ? null : anyResult, context)
      kinds.add(outcome.kind === 'events' ? (outcome.events[0]?.kind ?? 'silent') : outcome.kind)
    }),
    { numRuns: 4000 },
  )
  expect([...kinds].sort()).toEqual([
    'anchorMade',
    'attestationMade',
    'attestationRevoked',
    'schemaRegistered',
    'staleRead',
    'undecodableLog',
  ])
})

/** Why the log is undecodable, where the event keeps it whole; else what became of it instead. */
function keptReason(log: ChainLog, result: ReadResult | null): string {
  const outcome = signAdapter.decodeLog(deployment, log, result, context)
  const event = outcome.kind === 'events' ? outcome.events[0] : undefined
  if (event?.kind !== 'undecodableLog') return `none: ${event?.kind ?? outcome.kind}`
  const { reason, ...rest } = event
  const { topics, data } = log
  const kind = 'undecodableLog'
  expect(rest).toEqual({ kind, position, protocol: 'sign', contract, topics, data, transactionHash })
  return reason
}

function isStale(log: ChainLog, result: ReadResult | null): boolean {
  return signAdapter.decodeLog(deployment, log, result, context).kind === 'staleRead'
}

function returnedSchema(changes: Partial<typeof schemaStruct>) {
  const result = { ...schemaStruct, ...changes }
  return {
    kind: 'returned',
    data: hex(encodeFunctionResult({ abi, functionName: 'getSchema', result })),
  } as const
}

function returnedAttestation(changes: Partial<typeof attestationStruct>) {
  const result = { ...attestationStruct, ...changes }
  const data = hex(encodeFunctionResult({ abi, functionName: 'getAttestation', result }))
  return { kind: 'returned', data } as const
}

function logOf(eventAbi: typeof abi | typeof legacyAbi, eventName: string, data: string): ChainLog {
  return {
    address: contract,
    topics: [topicOf(eventAbi, eventName)],
    data: hex(data),
    blockNumber: 6_000_000,
    blockHash: hash(`0x${'b1'.repeat(32)}`),
    blockTimestamp: unixSeconds(madeAt),
    transactionHash,
    position,
  }
}

function topicOf(eventAbi: typeof abi | typeof legacyAbi, name: string): Hex {
  const event = eventAbi.find((item) => item.type === 'event' && item.name === name)
  if (event?.type !== 'event') throw new Error(`no event ${name}`)
  return hex(encodeEventTopics({ abi: [event] })[0])
}

function words(...values: bigint[]): string {
  return `0x${values.map((value) => padHex(toHex(value)).slice(2)).join('')}`
}

function idAndText(id: bigint, text: string): string {
  return encodeAbiParameters([{ type: 'uint256' }, { type: 'string' }], [id, text])
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hexadecimal`)
  return parsed
}

function address(text: string): Address {
  const parsed = parseAddress(text)
  if (parsed === null) throw new Error(`${text} is no address`)
  return parsed
}

function hash(text: string): NonNullable<ReturnType<typeof parseHash>> {
  const parsed = parseHash(text)
  if (parsed === null) throw new Error(`${text} is no hash`)
  return parsed
}
