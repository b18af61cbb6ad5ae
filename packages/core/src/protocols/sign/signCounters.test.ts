import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { parseAddress, parseHex, zeroAddress, type Hex } from '../../model/hex.ts'
import type { Deployment, ReadResult } from '../protocolAdapter.ts'
import { signAdapter } from './signAdapter.ts'
import { signCounters } from './signCounters.ts'

const address = parseAddress('0x00000000000000000000000000000000000000aa') ?? zeroAddress
const deployment: Deployment = { protocol: 'sign', chainId: 1, address, schemaRegistry: null, startBlock: 0 }

const attestation = parseAbiParameters(
  '(uint64 schemaId, uint64 linkedAttestationId, uint64 attestTimestamp, uint64 revokeTimestamp, address attester, ' +
    'uint64 validUntil, uint8 dataLocation, bool revoked, bytes[] recipients, bytes data)',
)

function returned(data: string): ReadResult {
  return { kind: 'returned', data: parseHex(data) ?? ('0x' as Hex) }
}

function encodeAttestation(attestTimestamp: bigint, revokeTimestamp: bigint, revoked: boolean): ReadResult {
  return returned(
    encodeAbiParameters(attestation, [
      {
        schemaId: 1n,
        linkedAttestationId: 0n,
        attestTimestamp,
        revokeTimestamp,
        attester: address,
        validUntil: 0n,
        dataLocation: 0,
        revoked,
        recipients: [],
        data: '0x',
      },
    ]),
  )
}

test('the counters are read from the contract that makes attestations, and are whole uint64 words', () => {
  expect(signCounters.planNext(deployment, 'schema')).toEqual([{ to: address, data: '0xcb6a3237' }])
  expect(signCounters.planNext(deployment, 'attestation')).toEqual([{ to: address, data: '0x2c996e03' }])
  expect(signCounters.decodeNext([returned(`0x${'2a'.padStart(64, '0')}`)])).toBe('0x2a')
  for (const other of ['0x', '0x2a', `0x${'f'.repeat(64)}`]) {
    expect(signCounters.decodeNext([returned(other)])).toBeNull()
  }
  expect(signCounters.decodeNext([{ kind: 'reverted', data: '0x' as Hex }])).toBeNull()
  expect(signCounters.decodeNext([])).toBeNull()
})

test('the time of a record is that of its making, and a record that does not exist has none', () => {
  expect(signCounters.decodeRecordTime('attestation', encodeAttestation(1_700_000_000n, 5n, true))).toBe(
    1_700_000_000,
  )
  expect(signCounters.decodeRecordTime('attestation', encodeAttestation(0n, 0n, false))).toBeNull()
  expect(signCounters.decodeRecordTime('schema', returned('0x'))).toBeNull()
})

test('a read of an attestation shows whether it is revoked, and since when', () => {
  expect(signAdapter.readRevocation(encodeAttestation(1n, 7n, true))).toEqual({
    revoked: true,
    timestamp: 7n,
  })
  expect(signAdapter.readRevocation(encodeAttestation(1n, 0n, false))).toEqual({
    revoked: false,
    timestamp: 0n,
  })
  expect(signAdapter.readRevocation(returned('0x00'))).toBeNull()
})
