import { describe, expect, test } from 'vitest'
import { zeroHash } from '../model/hex.ts'
import { eventPosition, isUnannounced, logsPerBlockMax } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import { numberedLog } from '@attestry/test/harness/numberedRecords.ts'
import { placeLogs } from './placeLogs.ts'

describe('the position of a log', () => {
  test('is its block, and its index among the logs of that block', () => {
    const placed = placeLogs([7, 7, 7, 9, 12, 12].map((block, record) => logIn(block, record)))
    expect(placed.map(({ position }) => position)).toEqual(
      [
        [7, 0],
        [7, 1],
        [7, 2],
        [9, 0],
        [12, 0],
        [12, 1],
      ].map(([block = 0, index = 0]) => eventPosition(block, index)),
    )
  })

  test('is never one of a record without a log', () => {
    const most = Array<FetchedLog>(logsPerBlockMax).fill(logIn(7, 1))
    expect(isUnannounced(placeLogs(most).at(-1)!.position)).toBe(false)
    expect(() => placeLogs([...most, logIn(7, 2)])).toThrow(/more than 524288 logs of block 7/)
  })
})

function logIn(blockNumber: number, record: number): FetchedLog {
  const block = { blockHash: zeroHash, blockTimestamp: unixSeconds(blockNumber * 10) }
  return { ...numberedLog('attestation', record), blockNumber, ...block, transactionHash: zeroHash }
}
