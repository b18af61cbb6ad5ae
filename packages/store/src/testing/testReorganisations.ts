import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { generateBlocks, steps } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import { batchOf, exportOf, fillStore, identityOf, withStore, type CreateTestStore } from './storeFactory.ts'

export function testReorganisations(create: CreateTestStore, share: number): void {
  test('any history of batches and reorganisations ends as a fresh index of the final chains', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(4, 1_000), async (history, rankThreshold) => {
        const options = { rankThreshold }
        const survived = await withStore(create, options, async (writer, reader) => {
          const chains = await playHistory(writer, history)
          return { chains, lines: await exportOf(reader), overview: await reader.listChains() }
        })
        // The fresh index sees the chains in another order.
        const ordered = [...survived.chains].sort(([a], [b]) => a - b)
        const fresh = await withStore(create, options, async (writer, reader) => {
          await fillStore(writer, new Map(ordered))
          return { lines: await exportOf(reader), overview: await reader.listChains() }
        })
        expect(survived.lines).toEqual(fresh.lines)
        expect(survived.overview).toEqual(fresh.overview)
      }),
      { numRuns: historyRuns(60, share), verbose: 1 },
    )
  })

  test('what is reverted to the beginning leaves nothing', async () => {
    await fc.assert(
      fc.asyncProperty(steps(60), async (life) => {
        await withStore(create, { rankThreshold: 2 }, async (writer, reader) => {
          await writer.openChain(identityOf(5))
          const empty = await exportOf(reader)
          await writer.applyBlocks(5, batchOf(generateBlocks(5, [], life, 'a')))
          await writer.revertBlocks(5, -1, unixMilliseconds(1))
          expect(await exportOf(reader)).toEqual(empty)
          expect(await writer.openChain(identityOf(5))).toEqual({
            checkpoint: null,
            recentBlocks: [],
            rewindTo: null,
            history: [],
          })
        })
      }),
      { numRuns: historyRuns(15, share), verbose: 1 },
    )
  })
}
