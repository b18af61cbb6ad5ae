import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { generateBlocks, steps } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { batchOf, identityOf, type CreateTestStore } from './storeFactory.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'

const chainId = 5

export function testTrending(create: CreateTestStore, share: number): void {
  const slowTest = share === 1 ? test : nightTest
  slowTest(
    'a reader that keeps hours lists what one that reads them afresh lists, after every batch and revert',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps(60), fc.integer({ min: 1, max: 8 }), fc.nat(20), async (life, cut, revert) => {
          const store = await create({ rankThreshold: 1_000 })
          const writer = store.openWriter()
          const keeping = store.openReader()
          const expectSame = async () => {
            // Reads of one turn of the event loop may see one state of the index.
            await nextTurn()
            const fresh = store.openReader()
            try {
              expect(await trendingOf(keeping)).toEqual(await trendingOf(fresh))
            } finally {
              await fresh.close()
            }
          }
          try {
            const blocks = generateBlocks(chainId, [], life, 'a')
            await writer.openChain(identityOf(chainId))
            for (let from = 0; from < blocks.length; from += cut) {
              await writer.applyBlocks(chainId, batchOf(blocks.slice(from, from + cut)))
              await expectSame()
            }
            const last = blocks.at(-1)?.number ?? -1
            await writer.revertBlocks(
              chainId,
              Math.max(-1, last - revert),
              unixMilliseconds(2_000_000_000_000),
            )
            await expectSame()
          } finally {
            await keeping.close()
            await writer.close()
            await store.remove()
          }
        }),
        { numRuns: historyRuns(12, share), verbose: 1 },
      )
    },
  )
}

async function trendingOf(reader: IndexReader) {
  return (await reader.listTrendingSchemas(10)).map(({ key, attestationCount }) => ({
    key,
    attestationCount,
  }))
}
