import { expect, onTestFinished, test } from 'vitest'
import { usualShape } from '../simulator/simulatedChain.ts'
import { followChain } from './followChain.ts'

test.each([0, 12])(
  'a record that was born revoked in the second of the newest block is indexed as revoked (finality %i)',
  async (finality) => {
    const index = followChain({
      // With this seed the newest block holds such a record.
      chain: { seed: 69, blocks: 30, shape: { ...usualShape, blocks: 10, eventBlocks: 10 } },
      contracts: { name: 'Born revoked', sign: 0, eas: null, transactionSenders: false },
      finality,
    })
    onTestFinished(index.remove)
    const { chain } = index
    const newest = chain.block(chain.view(), chain.head())
    const attestations = chain
      .events(chain.view(), chain.head(), chain.head())
      .flatMap((event) => (event.kind === 'signAttestation' ? [event.record] : []))
    expect(attestations.map(({ bornRevokedAt }) => bornRevokedAt)).toContain(newest?.timestamp)
    await index.settle()
    expect(await index.compare()).toEqual([])
  },
)
