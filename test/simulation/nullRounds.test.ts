import { expect, onTestFinished, test } from 'vitest'
import type { EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import { followChain, type FollowedChain } from './followChain.ts'

/** Filecoin has numbers without a block, and its endpoints answer for them in different ways. */
const characters: Readonly<Record<string, readonly Partial<EndpointCharacter>[]>> = {
  'an error': [{ nullRounds: 'refused' }],
  null: [{ nullRounds: 'null' }],
  'the block before, and their blooms are full': [{ nullRounds: 'previous', bloom: 'full' }],
  'an error, one block at a time': [{ nullRounds: 'refused', logRange: { max: 1, refusal: 0 }, batchMax: 1 }],
  'whatever each of them likes': [
    { nullRounds: 'refused', sendsTimestamps: false },
    { nullRounds: 'null' },
    { nullRounds: 'previous', lagMs: 24_000, byTurns: true },
  ],
}

function follow(endpoints: readonly Partial<EndpointCharacter>[], finality: number): FollowedChain {
  const index = followChain({
    chain: { seed: 5, blocks: 150 },
    contracts: { name: 'Rounds', sign: 0, eas: null, transactionSenders: false },
    finality,
    logRangeInitialBlocks: 7,
    characters: endpoints,
  })
  onTestFinished(index.remove)
  return index
}

/** Mines up to a block: the head is never a null round. */
function mineToBlock({ chain }: FollowedChain): void {
  while (chain.isNullRound(chain.view(), chain.head())) chain.mine(1)
}

const nullRoundsOf = ({ chain }: FollowedChain, numbers: readonly number[]) =>
  numbers.filter((number) => chain.isNullRound(chain.view(), number))

test.each(Object.entries(characters))(
  'a chain whose endpoints answer for a null round with %s is indexed whole, backwards and at the head',
  async (_, endpoints) => {
    const index = follow(endpoints, 12)
    const { chain } = index
    mineToBlock(index)
    await index.settle()
    let changed = 0
    for (let step = 0; step < 15; step++) {
      const head = chain.head()
      const newest = Array.from({ length: 9 }, (__, i) => head - 8 + i)
      const before = nullRoundsOf(index, newest)
      if (step % 3 === 1) {
        chain.reorganise(9, 9)
        if (nullRoundsOf(index, newest).join() !== before.join()) changed++
      }
      chain.mine(2)
      mineToBlock(index)
      await index.pass(24_000)
    }
    // Null rounds became blocks, and blocks null rounds.
    expect(changed).toBeGreaterThan(3)
    await index.settle()
    expect(index.status()).toMatchObject({ phase: 'following', indexedBlock: chain.head(), lastError: null })
    await index.pass(15 * 60_000)
    expect(index.status()).toMatchObject({ phase: 'following', lastError: null, blocksMended: 0 })
    expect(await index.compare()).toEqual([])
  },
  60_000,
)

test('the last final block may be a null round, at the start and at the head', async () => {
  const index = follow([{ nullRounds: 'refused' }], 1)
  const { chain } = index
  for (let grown = 0; grown < 40; grown++) {
    chain.mine(1)
    mineToBlock(index)
    await index.settle()
    expect(index.status().lastError).toBeNull()
  }
  expect(await index.compare()).toEqual([])
})
