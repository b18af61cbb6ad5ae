import { describe, expect, test } from 'vitest'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { formatProgress, measureBlockRate, secondsLeft, shareDone } from './progress.ts'

describe('the live display', () => {
  test('sets chains out in columns, with the time that is left', () => {
    const backfilling = progressOf({
      name: 'Sepolia',
      headBlock: 9_000_000,
      indexedBlock: 6_000_000,
      eventsPerSecond: 1250,
      blocksMended: 0,
      history: [],
    })
    const following = progressOf({
      name: 'OP Mainnet',
      phase: 'following',
      headBlock: 120_000_000,
      indexedBlock: 120_000_000,
    })
    expect(formatProgress([backfilling, following], 120)).toEqual([
      'Sepolia     backfilling      6,000,000 / 9,000,000   50.0 %  1,250 events/s  50 min left',
      'OP Mainnet  following    120,000,000 / 120,000,000  100.0 %',
    ])
  })

  test('shows the error in place of the remaining time', () => {
    const retrying = progressOf({ phase: 'retrying', lastError: 'rpc.example does not answer' })
    expect(formatProgress([retrying], 120)).toEqual([
      'Local  retrying  – / –      rpc.example does not answer',
    ])
  })

  test('never makes a line wider than the terminal', () => {
    const long = progressOf({ phase: 'stopped', lastError: 'x'.repeat(500) })
    for (const columns of [1, 20, 80]) {
      for (const line of formatProgress([long], columns)) expect(line.length).toBeLessThanOrEqual(columns)
    }
  })
})

describe('the share that is done', () => {
  test('counts from the first block of the contracts', () => {
    expect(shareDone(progressOf({ headBlock: 3_000_999, indexedBlock: 3_000_499 }, 3_000_000))).toBe(0.5)
    expect(shareDone(progressOf({ headBlock: 100, indexedBlock: null }, 1))).toBe(0)
  })

  test('is complete only at the head', () => {
    const nearly = progressOf({ headBlock: 9_999_999, indexedBlock: 9_999_998 }, 0)
    expect(formatProgress([nearly], 100)[0]).toContain('99.9 %')
    expect(shareDone(progressOf({ headBlock: 5, indexedBlock: 5 }, 0))).toBe(1)
  })

  test('is complete if the contracts begin above the head', () => {
    expect(shareDone(progressOf({ headBlock: 5, indexedBlock: null }, 10))).toBe(1)
  })

  test('is not known before an endpoint has answered', () => {
    expect(shareDone(progressOf({ headBlock: null, indexedBlock: 7 }, 0))).toBeNull()
  })
})

describe('the time that is left', () => {
  test('is the time of the remaining blocks at the present rate', () => {
    expect(secondsLeft(progressOf({ headBlock: 1000, indexedBlock: 500 }, 0, 50))).toBe(10)
  })

  test('is zero at the head, and unknown without a rate', () => {
    expect(secondsLeft(progressOf({ headBlock: 10, indexedBlock: 10 }, 0, null))).toBe(0)
    expect(secondsLeft(progressOf({ headBlock: 10, indexedBlock: 5 }, 0, null))).toBeNull()
  })
})

describe('the rate of blocks', () => {
  test('is taken over all samples', () => {
    const samples = [
      { blockNumber: 100, atMs: 0 },
      { blockNumber: 900, atMs: 1000 },
      { blockNumber: 1100, atMs: 4000 },
    ]
    expect(measureBlockRate(samples)).toBe(250)
  })

  test('is unknown from one sample, and after a reorganisation', () => {
    expect(measureBlockRate([{ blockNumber: 1, atMs: 0 }])).toBeNull()
    expect(
      measureBlockRate([
        { blockNumber: 9, atMs: 0 },
        { blockNumber: 3, atMs: 1000 },
      ]),
    ).toBeNull()
  })
})

function progressOf(
  changes: Partial<ChainStatus>,
  startBlock = 3_000_001,
  blocksPerSecond: number | null = 1000,
) {
  const status: ChainStatus = {
    chainId: 31337,
    name: 'Local',
    explorer: null,
    protocols: ['sign'],
    phase: 'backfilling',
    headBlock: null,
    headTimestamp: null,
    headSource: 'polling',
    indexedBlock: null,
    indexedTimestamp: null,
    fromChunks: null,
    reachedHead: false,
    eventsPerSecond: 0,
    blocksMended: 0,
    history: [],
    lastError: null,
    updatedAt: unixMilliseconds(0),
    ...changes,
  }
  return { status, startBlock, blocksPerSecond }
}
