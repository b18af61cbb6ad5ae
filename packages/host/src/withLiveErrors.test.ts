import { expect, test } from 'vitest'
import { createSampleIndex, sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { withLiveErrors } from './withLiveErrors.ts'

const stored = { phase: 'following', lastError: null, updatedAt: unixMilliseconds(1_000) } as const
const later = unixMilliseconds(1_001)
const failing = { phase: 'retrying', lastError: 'the disk is full' } as const

test.each([
  ['that could not be stored is shown', { ...failing, updatedAt: later }, failing],
  ['that is older than the stored status is not', { ...failing, updatedAt: stored.updatedAt }, stored],
  ['of another chain is not', { ...failing, updatedAt: later, chainId: 5 }, stored],
  ['that is over is not', { ...stored, updatedAt: later, indexedBlock: 7 }, stored],
] as const)('an error %s', async (_case, live, expected) => {
  const index = Object.assign(createSampleIndex(), { chains: [sampleChain(stored)] })
  const reader = withLiveErrors(openTestIndex(index), () => [sampleChain(live)])
  const [chain] = await reader.listChains()
  expect(chain?.status).toEqual({
    ...sampleChain(stored),
    phase: expected.phase,
    lastError: expected.lastError,
  })
})
