import { expect, test } from 'vitest'
import { chainProgress, describeProgress } from './chainProgress.ts'

const deployments = [
  { protocol: 'eas', name: 'EAS', address: '0x1', startBlock: 1_000 },
  { protocol: 'verax', name: 'Verax', address: '0x2', startBlock: 4_000 },
]
const chain = { phase: 'backfilling', indexedBlock: 3_000, headBlock: 11_000, deployments } as const

test('a backfill is measured from the first block of any contract, by the blocks since the page was opened', () => {
  const progress = chainProgress(chain, { block: 1_000, at: 100 }, 120)
  expect(progress).toEqual({ share: 0.2, blocksPerSecond: 100, secondsLeft: 80 })
  expect(progress === null ? '' : describeProgress(progress)).toBe(
    '20% of the blocks · 100 blocks a second · about 1 minute left',
  )
})

test('without a new block there is neither a rate nor a time left', () => {
  const progress = chainProgress(chain, { block: 3_000, at: 100 }, 120)
  expect(progress).toEqual({ share: 0.2, blocksPerSecond: null, secondsLeft: null })
  expect(progress === null ? '' : describeProgress(progress)).toBe('20% of the blocks')
  expect(chainProgress(chain, { block: 1_000, at: 120 }, 120)?.blocksPerSecond).toBeNull()
})

test('a chain that is in no backfill has no progress', () => {
  expect(chainProgress({ ...chain, phase: 'following' }, null, 0)).toBeNull()
  expect(chainProgress({ ...chain, headBlock: null }, null, 0)).toBeNull()
  expect(chainProgress({ ...chain, indexedBlock: null }, null, 0)).toBeNull()
})
