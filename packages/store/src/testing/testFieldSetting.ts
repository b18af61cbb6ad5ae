import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import { identityOf } from './storeFactory.ts'
import { contradictionsOf, type CreateAuditedStore } from './testAudit.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'

/** Shows that a change of the setting of the index of fields ends as an index that was made with the new setting. */
export function testFieldSetting(create: CreateAuditedStore, share: number): void {
  test('an index of fields is built from stored payloads, beside batches and reorganisations and over restarts', async () => {
    const numRuns = historyRuns(25, share)
    let built = 0
    await fc.assert(
      fc.asyncProperty(
        histories,
        histories,
        fc.nat(3),
        fc.constantFrom(3, 1_000),
        async (before, meanwhile, stepCount, rankThreshold) => {
          const store = await create({ rankThreshold })
          const unindexed = store.openWriter('none')
          let chains = await playHistory(unindexed, before)
          await unindexed.close()
          const interrupted = store.openWriter('all', 3)
          for (const chainId of chains.keys()) {
            await interrupted.openChain(identityOf(chainId))
            for (let step = 0; step < stepCount; step++) await interrupted.advanceFields(chainId)
          }
          chains = await playHistory(interrupted, meanwhile, chains)
          await interrupted.close()
          // The audit follows how far each index is built.
          expect(await contradictionsOf(store)).toEqual([])
          const indexing = store.openWriter('all', 3)
          built += await advanceAll(indexing, [...chains.keys()])
          await indexing.close()
          expect(await contradictionsOf(store)).toEqual([])
          expect(await store.findMiscounts()).toEqual([])
          await store.remove()
        },
      ),
      { numRuns },
    )
    // One history in five leaves work for a second step, so that few histories may have none.
    expect(built).toBeGreaterThanOrEqual(numRuns >= 60 ? 1 : 0)
  })

  const slowTest = share === 1 ? test : nightTest
  slowTest('a schema that is taken out of the setting leaves no rows, and others stay', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(3, 1_000), async (history, rankThreshold) => {
        const store = await create({ rankThreshold })
        const indexing = store.openWriter('all')
        const chains = await playHistory(indexing, history)
        await indexing.close()
        for (const setting of ['some', 'none'] as const) {
          const dropping = store.openWriter(setting, 2)
          for (const chainId of chains.keys()) {
            await dropping.openChain(identityOf(chainId))
            await dropping.advanceFields(chainId)
          }
          expect(await contradictionsOf(store)).toEqual([])
          await advanceAll(dropping, [...chains.keys()])
          await dropping.close()
          expect(await contradictionsOf(store)).toEqual([])
          expect(await store.findMiscounts()).toEqual([])
        }
        await store.remove()
      }),
      { numRuns: historyRuns(15, share) },
    )
  })
}

/** Opens the chains and does all the work there is; resolves to the number of steps. */
async function advanceAll(writer: IndexWriter, chainIds: readonly number[]): Promise<number> {
  let steps = 0
  for (const chainId of chainIds) {
    await writer.openChain(identityOf(chainId))
    while (!(await writer.advanceFields(chainId)).isDone) steps += 1
    expect(await writer.advanceFields(chainId)).toEqual({ isDone: true, pending: 0 })
  }
  return steps
}
