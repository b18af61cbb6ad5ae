import { describe, expect, test } from 'vitest'
import { localIdOfCounter } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { parseAddress, parseHash, type Address, type Hash, type Hex } from '../model/hex.ts'
import { eventPosition } from '../model/position.ts'
import type { ProtocolName, RevocationAtRead } from '../model/records.ts'
import { unixSeconds } from '../model/time.ts'
import { settleClaims } from './settleClaims.ts'

const claim = { kind: 'claimed', timestamp: 500n } as const

describe('a claim of a revocation, read at the last of the blocks', () => {
  test.each<[string, DomainEvent[], RevocationAtRead]>([
    ['is the event’s where an event of its time says so', [revoked(7, 500)], { kind: 'none' }],
    [
      'is taken to be the record’s own the record where no event says so',
      [],
      { kind: 'supposed', timestamp: 500n },
    ],
    [
      'was made with the record where an event revokes another one',
      [revoked(8, 500)],
      { kind: 'supposed', timestamp: 500n },
    ],
    [
      'was made with the record where the event is of another time',
      [revoked(7, 501)],
      { kind: 'supposed', timestamp: 500n },
    ],
    [
      'was made with the record where another protocol uses the id',
      [revoked(7, 500, 'eas')],
      { kind: 'supposed', timestamp: 500n },
    ],
  ])('%s', (_, later, expected) => {
    const [settled, ...others] = settleClaims([made(7, claim), ...later], null)
    expect(settled).toEqual(made(7, expected))
    expect(others).toEqual(later)
  })

  test('is left as it is where it is not younger than the blocks that were looked at', () => {
    const events = [made(7, claim), made(8, { kind: 'claimed', timestamp: 501n })]
    expect(settleClaims(events, unixSeconds(500))).toEqual([
      made(7, claim),
      made(8, { kind: 'supposed', timestamp: 501n }),
    ])
  })

  test('is no business of records that make none', () => {
    const events = [made(7, { kind: 'none' }), made(8, { kind: 'made', timestamp: 1n }), revoked(7, 500)]
    expect(settleClaims(events, null)).toBe(events)
  })
})

function made(number: number, revocationAtRead: RevocationAtRead): DomainEvent {
  return {
    kind: 'attestationMade',
    position: eventPosition(number, 0),
    attestation: {
      key: { chainId: 1, localId: localIdOfCounter(BigInt(number)) },
      protocol: 'sign',
      position: eventPosition(number, 0),
      transactionHash: hash(number),
      transactionSender: null,
      schemaLocalId: localIdOfCounter(1n),
      attester: address(2),
      attestTimestamp: unixSeconds(400),
      recipients: [],
      indexingValue: '',
      linkedAttestation: null,
      validUntil: 0n,
      revocable: null,
      portal: null,
      contractVersion: null,
      subject: null,
      data: '0x' as Hex,
      dataLocation: 'ONCHAIN',
      revocationAtRead,
    },
  }
}

function revoked(number: number, timestamp: number, protocol: ProtocolName = 'sign'): DomainEvent {
  return {
    kind: 'attestationRevoked',
    position: eventPosition(100, 0),
    protocol,
    localId: localIdOfCounter(BigInt(number)),
    reason: '',
    timestamp: unixSeconds(timestamp),
    transactionHash: hash(100),
  }
}

function hash(number: number): Hash {
  const parsed = parseHash(`0x${number.toString(16).padStart(64, '0')}`)
  if (parsed === null) throw new TypeError(`no hash of ${number}`)
  return parsed
}

function address(number: number): Address {
  const parsed = parseAddress(`0x${number.toString(16).padStart(40, '0')}`)
  if (parsed === null) throw new TypeError(`no address of ${number}`)
  return parsed
}
