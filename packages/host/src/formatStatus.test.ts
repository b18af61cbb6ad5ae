import { expect, test } from 'vitest'
import { formatChainLine, formatStatus } from './formatStatus.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { ChainSummary } from './summariseChain.ts'

const nowMs = Date.UTC(2026, 0, 1)

test('the status is a table with a line a chain', () => {
  const sepolia = summaryOf({
    deployments: [
      { protocol: 'eas', name: 'BAS' },
      { protocol: 'sign', name: 'Sign Protocol' },
    ],
    headBlock: 9_000_000,
    indexedBlock: 8_999_999,
    lagBlocks: 1,
    lagSeconds: 12,
  })
  const local = summaryOf({
    name: 'local',
    chainId: 31337,
    phase: 'retrying',
    lastError: 'a.example does not answer',
    verification: {
      at: unixSeconds(nowMs / 1000 - 7_200),
      upToBlock: 9,
      blocks: 5,
      events: 4,
      differences: 2,
      isComplete: true,
    },
  })
  expect(formatStatus([sepolia, local], nowMs)).toEqual([
    'CHAIN          ID  PROTOCOLS           PHASE             HEAD    INDEXED            LAG        RATE  LEFT  ATTESTATIONS  HISTORY   DIGEST                         VERIFIED                UPDATED  LAST ERROR',
    'Sepolia  11155111  BAS, Sign Protocol  backfilling  9,000,000  8,999,999  1 block, 12 s  0 events/s     –         1,234  compared  abababababababab at 8,999,999  never                   5 s ago  –',
    'local       31337  EAS                 retrying             –          –              –  0 events/s     –         1,234  compared  abababababababab at 8,999,999  2 h ago, 2 differences  5 s ago  a.example does not answer',
  ])
})

test('a narrow terminal gets only the most important columns, and no line is wider', () => {
  const chain = summaryOf({ phase: 'retrying', lastError: 'a.example does not answer' })
  const [header, row] = formatStatus([chain], nowMs, 100)
  expect(header).toMatch(/^CHAIN +PHASE +HEAD +INDEXED +LAG +RATE +LEFT +ATTESTATIONS +UPDATED +LAST ERROR$/)
  expect(row).toMatch(/ a\.example does/)
  for (const width of [20, 60, 80, 110, 140, 200]) {
    const lines = formatStatus([chain], nowMs, width)
    expect(Math.max(...lines.map((line) => line.length)), String(width)).toBeLessThanOrEqual(width)
  }
})

test('a line of a chain shows phase, blocks, attestations, time left and error', () => {
  const chain = summaryOf({
    headBlock: 9_000,
    indexedBlock: 1_000,
    secondsLeft: 90,
    lastError: 'a.example does not answer',
  })
  const rest = 'block 1,000 of 9,000, 1,234 attestations, 2 min left, a.example does not answer'
  expect(formatChainLine(chain)).toBe(`Sepolia backfilling: ${rest}`)
  expect(formatChainLine({ ...chain, fromChunks: 41 })).toBe(`Sepolia from chunks, 41 %: ${rest}`)
})

function summaryOf(changes: Partial<ChainSummary>): ChainSummary {
  return {
    chainId: 11155111,
    name: 'Sepolia',
    deployments: [{ protocol: 'eas', name: 'EAS' }],
    phase: 'backfilling',
    headBlock: null,
    fromChunks: null,
    headSource: 'polling',
    indexedBlock: null,
    lagBlocks: null,
    lagSeconds: null,
    eventsPerSecond: 0,
    secondsLeft: null,
    schemas: 1,
    attestations: 1234,
    revocations: 0,
    undecodable: 0,
    fieldsPending: 0,
    digest: { version: 1, blockNumber: 8_999_999, eventCount: 1_234, value: `0x${'ab'.repeat(32)}` as Hash },
    lastError: null,
    verification: null,
    completeness: 'compared',
    history: [],
    updatedAt: new Date(nowMs - 5000).toISOString(),
    ...changes,
  }
}
