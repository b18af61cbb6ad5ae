import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChainId } from '../../model/compositeId.ts'
import { unixMilliseconds } from '../../model/time.ts'
import type { IndexWriter } from '../indexWriter.ts'
import { generateBlocks, steps, type GeneratedBlock, type Step } from './generatedChain.ts'
import { batchOf, exportOf, fillStore, identityOf, withStore, type CreateTestStore } from './storeFactory.ts'

const chainIds: readonly ChainId[] = [137, 5, 11_155_111]

/** What happens to one of the chains: it grows by a life, or loses blocks first. */
interface Act {
  readonly chain: number
  readonly revert: number
  readonly life: Step[]
  /** Where the new blocks are cut into batches: how many blocks each batch takes, in turn. */
  readonly cuts: number[]
}

const acts = fc.array(
  fc.record({
    chain: fc.nat(chainIds.length - 1),
    revert: fc.oneof(fc.constant(0), fc.nat(6), fc.nat(60)),
    life: steps(25),
    cuts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  }),
  { maxLength: 7 },
)

export function testReorganisations(create: CreateTestStore): void {
  test('any sequence of batches and reorganisations ends as a fresh index of the final chains', async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.constantFrom(4, 1_000), async (sequence, rankThreshold) => {
        const options = { rankThreshold }
        const chains = new Map<ChainId, GeneratedBlock[]>()
        const survived = await withStore(create, options, async (writer, reader) => {
          for (const [index, act] of sequence.entries()) await play(writer, chains, act, index)
          return { lines: await exportOf(reader), chains: await reader.listChains() }
        })
        // The fresh index sees the chains in another order.
        const ordered = [...chains].sort(([a], [b]) => a - b)
        const fresh = await withStore(create, options, async (writer, reader) => {
          await fillStore(writer, new Map(ordered))
          return { lines: await exportOf(reader), chains: await reader.listChains() }
        })
        expect(survived).toEqual(fresh)
      }),
      { numRuns: 100, verbose: 1 },
    )
  }, 120_000)

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
          })
        })
      }),
      { numRuns: 15, verbose: 1 },
    )
  }, 120_000)
}

async function play(
  writer: IndexWriter,
  chains: Map<ChainId, GeneratedBlock[]>,
  act: Act,
  index: number,
): Promise<void> {
  const chainId = chainIds[act.chain] ?? 5
  let blocks = chains.get(chainId)
  if (blocks === undefined) {
    await writer.openChain(identityOf(chainId))
    blocks = []
  }
  if (act.revert > 0 && blocks.length > 0) {
    blocks = blocks.slice(0, Math.max(0, blocks.length - act.revert))
    await writer.revertBlocks(chainId, blocks.length - 1, unixMilliseconds(index))
  }
  const grown = generateBlocks(chainId, blocks, act.life, `fork ${index}`)
  for (let from = 0, cut = 0; from < grown.length; cut++) {
    const size = act.cuts[cut % act.cuts.length] ?? 1
    await writer.applyBlocks(
      chainId,
      batchOf(grown.slice(from, from + size), unixMilliseconds(1_000 + index)),
    )
    from += size
  }
  chains.set(chainId, [...blocks, ...grown])
}
