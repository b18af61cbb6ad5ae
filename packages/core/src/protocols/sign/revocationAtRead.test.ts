import { describe, expect, test } from 'vitest'
import { unixSeconds } from '../../model/time.ts'
import { revocationAtRead } from './revocationAtRead.ts'

const madeAt = 1_700_000_000n
const headAt = 1_700_500_000n

describe('the revocation that a record claims', () => {
  test.each([
    ['none where it does not read as revoked, whatever its time', false, headAt, 'none'],
    ['made where it has no time', true, 0n, 'made'],
    ['made where it is before the attestation', true, madeAt - 1n, 'made'],
    ['claimed where it is of the attestation’s own time', true, madeAt, 'claimed'],
    ['claimed where it is between attestation and head', true, madeAt + 1n, 'claimed'],
    ['claimed where it is of the head', true, headAt, 'claimed'],
    ['claimed where the node may be ahead of the known head', true, headAt + 3600n, 'claimed'],
    ['made where it is beyond any head', true, headAt + 3601n, 'made'],
    ['made where it is the last uint64', true, 2n ** 64n - 1n, 'made'],
  ])('is %s', (_, revoked, timestamp, kind) => {
    expect(read(revoked, timestamp)).toEqual(kind === 'none' ? { kind } : { kind, timestamp })
  })
})

function read(revoked: boolean, revokeTimestamp: bigint) {
  return revocationAtRead(
    { revoked, revokeTimestamp, attestTimestamp: madeAt },
    { headTimestamp: unixSeconds(Number(headAt)) },
  )
}
