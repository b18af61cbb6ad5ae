import { expect, onTestFinished, test } from 'vitest'
import { followChain } from './followChain.ts'

test('a contract younger than finality is indexed again from its first block when a reorganisation goes below it', async () => {
  const index = followChain({
    chain: { seed: 5, blocks: 47 },
    contracts: { name: 'Young', sign: 32, eas: null, transactionSenders: false },
    finality: 40,
  })
  onTestFinished(index.remove)
  await index.settle()
  index.chain.reorganise(20, 21)
  await index.settle()
  expect(index.status()).toMatchObject({ indexedBlock: 48, lastError: null })
  expect(await index.compare()).toEqual([])
})
