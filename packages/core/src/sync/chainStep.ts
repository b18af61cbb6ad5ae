import type { BlockHeader } from '../chain/chainClient.ts'
import type { RememberedBlock } from '../model/chainState.ts'
import { findCommonAncestor } from './reorganisation.ts'

/** The state of a chain's index, as the store has it. */
export interface IndexedBlocks {
  /** The first block to index. */
  readonly startBlock: number
  /** The checkpoint block, or the block before `startBlock`. */
  readonly blockNumber: number
  /** Remembered blocks up to the checkpoint, ascending. */
  readonly recentBlocks: readonly RememberedBlock[]
}

/** The last indexed block; null if no block is indexed. */
export function lastIndexed({ startBlock, blockNumber }: IndexedBlocks): number | null {
  return blockNumber < startBlock ? null : blockNumber
}

/**
 * The index as a reorganisation may change it: with the remembered blocks that were not final when they were read. Final
 * blocks are remembered until their logs were read once more.
 */
export function replaceablePart(indexed: IndexedBlocks, finality: number): IndexedBlocks {
  const { blockNumber, recentBlocks } = indexed
  return { ...indexed, recentBlocks: recentBlocks.filter(({ number }) => number >= blockNumber - finality) }
}

/** The indexer's next step. */
type ChainStep =
  /** The head lies below all remembered blocks, so that nothing can be compared: an endpoint is catching up. */
  | { readonly kind: 'refuseHead' }
  /** The head is a remembered block below the checkpoint: the endpoint is late, as a rule. */
  | { readonly kind: 'awaitHead' }
  /** Final blocks up to `finalBlock` are not indexed. */
  | { readonly kind: 'indexFinalBlocks'; readonly finalBlock: number }
  /** All final blocks are indexed, and blocks above them are not. */
  | { readonly kind: 'indexHeadBlocks' }
  /** The head replaced a remembered block, or has stayed below the checkpoint: the chain became shorter. */
  | { readonly kind: 'revert' }
  /** The checkpoint is the head. */
  | { readonly kind: 'wait' }

/**
 * After so many polls in a row with a head below the checkpoint, the chain counts as shortened rather than the node as
 * late.
 */
const shortHeadPollsMin = 15

/**
 * The next step towards `head`. `finality` is the number of blocks behind the head that may still change. `awaited`: the
 * heads in a row whose step was `awaitHead`.
 */
export function chooseStep(
  { blockNumber, recentBlocks }: IndexedBlocks,
  head: Pick<BlockHeader, 'number' | 'hash'>,
  finality: number,
  awaited: number,
): ChainStep {
  const tip = recentBlocks.at(-1)
  const finalBlock = head.number - finality
  if (tip !== undefined && head.number < tip.number) {
    const remembered = recentBlocks.find(({ number }) => number === head.number)
    if (remembered === undefined) return { kind: 'refuseHead' }
    const isLate = remembered.hash === head.hash && awaited + 1 < shortHeadPollsMin
    return { kind: isLate ? 'awaitHead' : 'revert' }
  }
  if (blockNumber < finalBlock) return { kind: 'indexFinalBlocks', finalBlock }
  if (blockNumber < head.number) return { kind: 'indexHeadBlocks' }
  if (tip !== undefined && head.number === tip.number && head.hash !== tip.hash) return { kind: 'revert' }
  return { kind: 'wait' }
}

/** The place where chain and index part. */
type Fork =
  /** The index up to `keptBlock` is part of the chain. `keptBlock` may lie before the first block to index. */
  | { readonly kind: 'ancestor'; readonly keptBlock: number }
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
  return { kind: 'ancestor', keptBlock: ancestor?.number ?? indexed.startBlock - 1 }
}

/** The index without the blocks above `keptBlock`. */
export function withoutBlocksAbove(indexed: IndexedBlocks, keptBlock: number): IndexedBlocks {
  const recentBlocks = indexed.recentBlocks.filter(({ number }) => number <= keptBlock)
  return { ...indexed, blockNumber: keptBlock, recentBlocks }
}

/** The index with the blocks up to `blockNumber`, which remembers `blocks` and none below `forgetBelow`. */
export function withBlocks(
  indexed: IndexedBlocks,
  blockNumber: number,
  blocks: readonly RememberedBlock[],
  forgetBelow: number,
): IndexedBlocks {
  const recentBlocks = [...indexed.recentBlocks, ...blocks].filter(({ number }) => number >= forgetBelow)
  return { ...indexed, blockNumber, recentBlocks }
}
