import { expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { noBytes, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { RevocationAtRead } from '@attestry/core/model/records.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { compareRevocation } from './compareRevocation.ts'

const pinned = { number: 50, timestamp: unixSeconds(500) }
const valid = { revoked: false, timestamp: 0n }

interface Case {
  readonly held: StoredEvent['revocation']
  readonly atRead?: RevocationAtRead
  readonly onChain: { readonly revoked: boolean; readonly timestamp: bigint }
  readonly loose?: boolean
  readonly isCheckpointTimed?: boolean
}

test.each<[name: string, compared: Case]>([
  ['neither knows one', { held: null, onChain: valid }],
  ['both know the same one', { held: byEvent(45, 450n), onChain: revoked(450n) }],
  ['the record was born revoked, without a time', { held: born(400n), onChain: revoked(0n) }],
  ['the event stands in a block above', { held: byEvent(51, 510n), onChain: valid }],
  [
    'the event stands above, and the contract was read later',
    { held: byEvent(51, 510n), onChain: valid, loose: true },
  ],
  [
    'index and contract, read later, know events of two branches above',
    { held: byEvent(51, 510n), onChain: revoked(520n), loose: true },
  ],
  ['the contract was read later, and revokes above', { held: null, onChain: revoked(510n), loose: true }],
  [
    'the claim is pending',
    { held: null, atRead: { kind: 'claimed', timestamp: 500n }, onChain: revoked(500n) },
  ],
  [
    'the index does not know the time of its checkpoint, which settles the claim',
    {
      held: null,
      atRead: { kind: 'claimed', timestamp: 499n },
      onChain: revoked(499n),
      isCheckpointTimed: false,
    },
  ],
])('at the pinned block there is no difference where %s', (_, compared) => {
  expect(compare(compared)).toBeNull()
})

test.each<[name: string, compared: Case, block: number, stored: string | null, expected: string | null]>([
  ['the contract knows no such event', { held: byEvent(50, 500n), onChain: valid }, 50, '500', null],
  ['the contract knows no such birth', { held: born(400n), onChain: valid }, 40, '400', null],
  [
    'the index lost the event, and does not know the time of its checkpoint',
    { held: null, onChain: revoked(450n), isCheckpointTimed: false },
    40,
    null,
    '450',
  ],
  ['the index lost the event', { held: null, onChain: revoked(450n) }, 40, null, '450'],
  ['the times differ', { held: byEvent(45, 450n), onChain: revoked(460n) }, 45, '450', '460'],
  [
    'the index revokes above, the contract before',
    { held: byEvent(51, 510n), onChain: revoked(450n) },
    51,
    '510',
    '450',
  ],
  [
    'the index revokes above, and the contract, read later, before',
    { held: byEvent(51, 510n), onChain: revoked(450n), loose: true },
    51,
    '510',
    '450',
  ],
  [
    'the index revokes before, and the contract, read later, above',
    { held: byEvent(45, 450n), onChain: revoked(510n), loose: true },
    45,
    '450',
    '510',
  ],
  [
    'a claim is due',
    { held: null, atRead: { kind: 'claimed', timestamp: 499n }, onChain: revoked(499n) },
    40,
    null,
    '499',
  ],
])('at the pinned block there is a difference where %s', (_, compared, block, stored, expected) => {
  expect(compare(compared)?.difference).toMatchObject({
    what: 'revocation',
    blockNumber: block,
    stored,
    expected,
  })
})

function compare(compared: Case) {
  const { held, atRead = { kind: 'none' }, onChain, loose = false, isCheckpointTimed = true } = compared
  const position = eventPosition(40, 0)
  const localId = localIdOfCounter(7n)
  const stored: StoredEvent = {
    event: {
      kind: 'attestationMade',
      position,
      attestation: {
        key: { chainId: 1, localId },
        protocol: 'sign',
        position,
        transactionHash: zeroHash,
        transactionSender: null,
        schemaLocalId: localId,
        attester: zeroAddress,
        attestTimestamp: unixSeconds(400),
        recipients: [],
        indexingValue: '',
        linkedAttestation: null,
        validUntil: 0n,
        revocable: null,
        portal: null,
        contractVersion: null,
        subject: null,
        data: noBytes,
        dataLocation: 'ONCHAIN',
        revocationAtRead: atRead,
      },
    },
    storedAt: unixMilliseconds(1),
    settled: null,
    revocation: held,
  }
  return compareRevocation(stored, onChain, { block: pinned, loose, isCheckpointTimed })
}

function byEvent(block: number, timestamp: bigint): StoredEvent['revocation'] {
  return { timestamp, position: eventPosition(block, 0) }
}

function born(timestamp: bigint): StoredEvent['revocation'] {
  return { timestamp, position: null }
}

function revoked(timestamp: bigint) {
  return { revoked: true, timestamp }
}
