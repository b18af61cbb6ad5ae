import type { Chain } from '../api/types.ts'
import { formatQuantity, formatShare } from './formatCount.ts'
import { formatLongDuration } from './formatTime.ts'

/** How far the history of a chain is indexed, by blocks. */
export interface ChainProgress {
  /** From the first block of the chain's contracts to its newest one: 0 to 1. */
  readonly share: number
  /** Blocks indexed in a second since the page was opened; null until some were. */
  readonly blocksPerSecond: number | null
  /** Seconds until the newest block is indexed at this rate; null while the rate is not known. */
  readonly secondsLeft: number | null
}

/** A block of a chain, and when it was the newest one of the index, in Unix seconds. */
export interface SeenBlock {
  readonly block: number
  readonly at: number
}

type Indexed = Pick<Chain, 'phase' | 'indexedBlock' | 'headBlock' | 'deployments'>

/** The progress of a backfill; null for a chain that is not in one, or of which no block is known. */
export function chainProgress(
  { phase, indexedBlock, headBlock, deployments }: Indexed,
  first: SeenBlock | null,
  now: number,
): ChainProgress | null {
  if (phase !== 'backfilling' || indexedBlock === null || headBlock === null) return null
  const start = Math.min(headBlock, ...deployments.map(({ startBlock }) => startBlock))
  const share = headBlock === start ? 1 : (indexedBlock - start) / (headBlock - start)
  const rate = first === null || now <= first.at ? 0 : (indexedBlock - first.block) / (now - first.at)
  const isKnown = rate > 0
  return {
    share: Math.min(1, Math.max(0, share)),
    blocksPerSecond: isKnown ? rate : null,
    secondsLeft: isKnown ? Math.max(0, headBlock - indexedBlock) / rate : null,
  }
}

/** `43.1% of the blocks · 1,200 blocks a second · about 3 hours left`. */
export function describeProgress({ share, blocksPerSecond, secondsLeft }: ChainProgress): string {
  return [
    `${formatShare(share)} of the blocks`,
    blocksPerSecond !== null &&
      `${formatQuantity(Math.max(1, Math.round(blocksPerSecond)), 'block')} a second`,
    secondsLeft !== null && `about ${formatLongDuration(secondsLeft)} left`,
  ]
    .filter((part) => part !== false)
    .join(' · ')
}
