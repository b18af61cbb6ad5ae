import type { BlockHeader } from '../chain/chainClient.ts'
import type { BlockRef } from '../model/chainState.ts'
import { findCommonAncestor } from './reorganisation.ts'

/** The state of a chain's index, as the store has it. */
export interface IndexedBlocks {
  /** The first block to index. */
  readonly startBlock: number
  /** The checkpoint block, or the block before `startBlock`. */
  readonly blockNumber: number
  /** Remembered blocks up to the checkpoint, ascending. */
  readonly recentBlocks: readonly BlockRef[]
}

/** What the indexer does next. */
type ChainStep =
  /** The head lies below the newest remembered block: an endpoint lags, or the chain became shorter. */
  | { readonly kind: 'meetShortHead' }
  /** Final blocks up to `finalBlock` are not indexed. */
  | { readonly kind: 'indexFinalBlocks'; readonly finalBlock: number }
  /** All final blocks are indexed, and blocks above them are not. */
  | { readonly kind: 'indexHeadBlocks' }
  /** The checkpoint has the head's number and another hash. */
  | { readonly kind: 'takeBack' }
  /** The checkpoint is the head. */
  | { readonly kind: 'wait' }

/** The next step towards `head`. `finality` is the number of blocks behind the head that may still change. */
export function chooseStep(
  { blockNumber, recentBlocks }: IndexedBlocks,
  head: Pick<BlockHeader, 'number' | 'hash'>,
  finality: number,
): ChainStep {
  const tip = recentBlocks.at(-1)
  const finalBlock = head.number - finality
  if (tip !== undefined && head.number < tip.number) return { kind: 'meetShortHead' }
  if (blockNumber < finalBlock) return { kind: 'indexFinalBlocks', finalBlock }
  if (blockNumber < head.number) return { kind: 'indexHeadBlocks' }
  if (tip !== undefined && head.number === tip.number && head.hash !== tip.hash) return { kind: 'takeBack' }
  return { kind: 'wait' }
}

/** The place where chain and index part. */
type Fork =
  /**
   * The index up to `keptBlock` is part of the chain. `ancestor` is that block; null if it lies before the first block
   * to index.
   */
  | { readonly kind: 'ancestor'; readonly keptBlock: number; readonly ancestor: BlockRef | null }
  /** No remembered block is part of the chain, and the hashes of indexed blocks before `oldest` are not remembered. */
  | { readonly kind: 'deep'; readonly oldest: number }

/** The lowest block whose header `findFork` needs. */
export function oldestRemembered({ blockNumber, recentBlocks }: IndexedBlocks): number {
  return recentBlocks[0]?.number ?? blockNumber
}

/** Compares the remembered blocks with `canonical`, the headers of the chain from `oldestRemembered` on, ascending. */
export function findFork(indexed: IndexedBlocks, canonical: readonly BlockHeader[]): Fork {
  const oldest = oldestRemembered(indexed)
  const ancestor = findCommonAncestor(indexed.recentBlocks, canonical)
  // If every block from the first one on is remembered, none of them was final: all may have been replaced.
  if (ancestor === null && oldest > indexed.startBlock) return { kind: 'deep', oldest }
  return { kind: 'ancestor', keptBlock: ancestor?.number ?? indexed.startBlock - 1, ancestor }
}
