import { expect, onTestFinished, test } from 'vitest'
import { followChain } from './followChain.ts'

test('a head that moves backwards and forth, as behind a load balancer, takes nothing back', async () => {
  const index = followChain({
    chain: { seed: 5, blocks: 200 },
    contracts: { name: 'Late', sign: 0, eas: null, transactionSenders: false },
    finality: 12,
    // Every other request meets a node that is five blocks behind.
    characters: [{ lagMs: 60_000, byTurns: true }],
  })
  onTestFinished(index.remove)
  await index.settle()
  for (let block = 0; block < 20; block++) {
    await index.pass(12_000)
    index.chain.mine(1)
  }
  await index.settle()
  expect(index.status()).toMatchObject({ indexedBlock: 220, lastError: null })
  expect(index.logged.filter((line) => line.includes('reorganised'))).toEqual([])
  expect(await index.compare()).toEqual([])
})
