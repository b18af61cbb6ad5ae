import { expect, test } from 'vitest'
import { planBackfill } from './planBackfill.ts'

const chain = {
  finality: 12,
  logsPerBlock: 0.01,
  bytesPerBlock: 10,
  loggedShare: 0.01,
  undatedShare: 0,
  readsPerBlock: 0.008,
  sendersPerBlock: 0,
  numberedKinds: 2,
  logRangeBlocks: 10,
  batchCalls: 100,
  hasMulticall: true,
  hasFullBlooms: false,
  inFlight: 8,
  endpoints: 1,
  searchCalls: 0,
}

test('a chain of hundreds of millions of blocks is estimated by its first ranges, at once', () => {
  const short = planBackfill({ ...chain, blocks: 4_000_000 })
  const long = planBackfill({ ...chain, blocks: 400_000_000 })
  // One request for each ten blocks, and what their ranges need beside.
  expect(short.calls).toBeGreaterThan(400_000)
  expect(long.calls / short.calls).toBeCloseTo(100, 0)
  expect(long.requests / short.requests).toBeCloseTo(100, 0)
})

test('a chain without blocks, without logs or with all blocks near the head has an estimate too', () => {
  const none = { logsPerBlock: 0, bytesPerBlock: 0, loggedShare: 0, readsPerBlock: 0 }
  expect(planBackfill({ ...chain, blocks: 0 }).calls).toBe(8)
  expect(planBackfill({ ...chain, blocks: 5 }).calls).toBeLessThan(30)
  expect(planBackfill({ ...chain, ...none, blocks: 1_000 }).calls).toBeGreaterThan(100)
})
