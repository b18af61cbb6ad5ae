import { expect, test } from 'vitest'
import { numberedLog } from '@attestry/test/harness/numberedRecords.ts'
import { zeroHash, type Hash, type Hex } from '../model/hex.ts'
import { eventPosition, unannouncedPosition } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { sealBlocks, sealedCount, sealLogs } from './sealLogs.ts'

function logAt(blockNumber: number, index: number, changes: Partial<ChainLog> = {}): ChainLog {
  const block = {
    blockNumber,
    blockHash: zeroHash,
    blockTimestamp: unixSeconds(1),
    transactionHash: zeroHash,
  }
  return {
    ...numberedLog('attestation', index),
    ...block,
    position: eventPosition(blockNumber, index),
    ...changes,
  }
}

test('a seal tells the number of logs, and any difference of their content and order', () => {
  const logs = [logAt(7, 0), logAt(7, 3)]
  const seal = sealLogs(logs)
  expect(sealedCount(seal)).toBe(2)
  expect(sealLogs([logAt(7, 0), logAt(7, 3)])).toBe(seal)
  const others = [
    [],
    [logAt(7, 0)],
    [logAt(7, 0), logAt(7, 4)],
    [logAt(7, 3), logAt(7, 0)],
    [logAt(7, 0), logAt(7, 3, { data: '0x12' as Hex })],
    [logAt(7, 0), logAt(7, 3, { topics: [] })],
    [logAt(7, 0), logAt(7, 3, { transactionHash: `0x${'1'.repeat(64)}` as Hash })],
  ]
  expect(new Set([seal, ...others.map(sealLogs)]).size).toBe(others.length + 1)
})

test('logs that a contract left out are not sealed', () => {
  const made = logAt(7, 1, { position: unannouncedPosition(7, 5n) })
  const block = { number: 7, hash: zeroHash, parentHash: zeroHash, timestamp: unixSeconds(1) }
  expect(sealBlocks([block], [logAt(7, 0), made])).toEqual(sealBlocks([block], [logAt(7, 0)]))
})

test('each block has the seal of its own logs', () => {
  const block = { hash: zeroHash, parentHash: zeroHash, timestamp: unixSeconds(1) }
  const blocks = [7, 8].map((number) => ({ ...block, number }))
  expect(sealBlocks(blocks, [logAt(8, 0)])).toEqual([
    { ...block, number: 7, logsSeal: sealLogs([]) },
    { ...block, number: 8, logsSeal: sealLogs([logAt(8, 0)]) },
  ])
})
