import fc from 'fast-check'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { generateBlocks, steps, type GeneratedBlock, type Step } from './generatedChain.ts'
import { batchOf, identityOf } from './storeFactory.ts'

const chainIds: readonly ChainId[] = [137, 5, 11_155_111]

/** One act on one of the chains: it loses blocks, then grows by a life. */
export interface Act {
  readonly chain: number
  readonly revert: number
  readonly life: readonly Step[]
  /** The sizes of the batches into which the new blocks are cut, in blocks, in turn. */
  readonly cuts: readonly number[]
  /** Whether batches that another one follows say so. */
  readonly announced: boolean
}

export const histories: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    chain: fc.nat(chainIds.length - 1),
    revert: fc.oneof(fc.constant(0), fc.nat(6), fc.nat(60)),
    life: steps(40),
    cuts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
    announced: fc.boolean(),
  }),
  { maxLength: 7, size: 'max' },
)

/**
 * Lets a store live through a history, on top of the chains it holds; returns the chains as they are at its end. `firstAct`
 * numbers the acts, each of which makes other blocks.
 */
export async function playHistory(
  writer: IndexWriter,
  history: readonly Act[],
  before: ReadonlyMap<ChainId, readonly GeneratedBlock[]> = new Map(),
  firstAct = 0,
): Promise<Map<ChainId, readonly GeneratedBlock[]>> {
  const chains = new Map(before)
  for (const [index, act] of history.entries()) await play(writer, chains, act, firstAct + index)
  return chains
}

async function play(
  writer: IndexWriter,
  chains: Map<ChainId, readonly GeneratedBlock[]>,
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
    const batch = batchOf(grown.slice(from, from + size), unixMilliseconds(1_000 + index))
    from += size
    await writer.applyBlocks(chainId, { ...batch, moreFollows: act.announced && from < grown.length })
  }
  chains.set(chainId, [...blocks, ...grown])
}
