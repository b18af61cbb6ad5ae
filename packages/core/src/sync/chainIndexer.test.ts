import { expect, onTestFinished, test } from 'vitest'
import { followChain, type FollowOptions } from '@attestry/test/simulation/followChain.ts'

function follow(options: Partial<FollowOptions>) {
  const index = followChain({
    chain: { seed: 5, blocks: 200 },
    contracts: { name: 'Followed', sign: 0, eas: null, transactionSenders: false },
    finality: 12,
    ...options,
  })
  onTestFinished(index.remove)
  return index
}

test('an endpoint that does not know eth_getCode has its records read one by one', async () => {
  const index = follow({ characters: [{ knowsCode: false }] })
  await index.settle()
  expect(index.status()).toMatchObject({ phase: 'following', indexedBlock: 200, lastError: null })
  expect(index.logged.filter((line) => line.includes('multicallMissing'))).toHaveLength(1)
  expect(await index.compare()).toEqual([])
})

test('what failed is shown while the first call is still being tried again, and no longer than that', async () => {
  let isDown = true
  const index = follow({ characters: [() => ({ isDown })] })
  await index.pass(100)
  expect(index.status()).toMatchObject({ phase: 'starting', headBlock: null })
  expect(index.status().lastError).toContain('e0.example')
  isDown = false
  await index.settle()
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
})

test('a failure of one endpoint does not show in the status if another endpoint answers', async () => {
  const seen: (string | null)[] = []
  const index = follow({
    characters: [{ isDown: true }, {}],
    onRequest: () => void seen.push(index.status().lastError),
  })
  await index.settle()
  expect(seen.filter((error) => error !== null)).toEqual([])
  expect(seen.length).toBeGreaterThan(10)
})
