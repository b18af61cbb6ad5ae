import type { ChainId } from './compositeId.ts'
import type { ExplorerLinks } from './explorerLinks.ts'
import type { Hash } from './hex.ts'
import type { ProtocolName } from './records.ts'
import type { UnixMilliseconds, UnixSeconds } from './time.ts'

/** A block that the index remembers, to detect a change of the chain under it. */
export interface BlockRef {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  readonly timestamp: UnixSeconds
}

/** A chain as messages call it: by its number, with its name where it has one of its own. */
export function describeChain(chainId: ChainId, name: string): string {
  const number = `chain ${chainId}`
  return name === number ? number : `${number} (${name})`
}

/** A block that the index remembers, with what it was read as. */
export interface RememberedBlock extends BlockRef {
  /**
   * The seal of the block's logs as they were read (`sync/sealLogs.ts`), until they were read again as those of a final
   * block. Absent where the block was old enough when it was read.
   */
  readonly logsSeal?: string
}

/** Records that were found missing from the index of a chain, or wrong in it, and are not known to be mended. */
export interface Defect {
  /** The blocks concerned; both null where they are not known. */
  readonly fromBlock: number | null
  readonly toBlock: number | null
  /** One sentence, for operators. */
  readonly text: string
}

/** The numbers of the blocks from one to another, both included; none where the last comes before the first. */
export function blockNumbers(fromBlock: number, toBlock: number): number[] {
  return Array.from({ length: Math.max(0, toBlock - fromBlock + 1) }, (_, index) => fromBlock + index)
}

/**
 * The phase of a chain's indexer.
 * - `starting`: no endpoint was asked yet.
 * - `backfilling`: indexing history below the finalized block.
 * - `following`: at the head.
 * - `retrying`: no endpoint answers correctly; retried with backoff.
 * - `stopped`: an invariant was contradicted; an operator must act.
 * - `paused`: indexed once, not in the configuration of the running indexer.
 */
export type ChainPhase = 'starting' | 'backfilling' | 'following' | 'retrying' | 'stopped' | 'paused'

/** How the indexer hears of new heads: an endpoint's subscription tells, or endpoints are polled. */
export type HeadSource = 'subscription' | 'polling'

/** The freshness of one chain, for `readyz`, `status` and the API. */
export interface ChainStatus {
  readonly chainId: ChainId
  readonly name: string
  /** The links of the chain's block explorer; null if none is known. */
  readonly explorer: ExplorerLinks | null
  readonly protocols: readonly ProtocolName[]
  readonly phase: ChainPhase
  /** The newest block that an endpoint reported; null until one answered. */
  readonly headBlock: number | null
  readonly headTimestamp: UnixSeconds | null
  /** The newest block whose events are in the index; null before the first. */
  readonly indexedBlock: number | null
  readonly indexedTimestamp: UnixSeconds | null
  readonly headSource: HeadSource
  /** Whether the index has reached the head of this chain at least once since the indexer started. */
  readonly reachedHead: boolean
  /** Events indexed a second in the recent past; 0 at rest. */
  readonly eventsPerSecond: number
  /**
   * Final blocks whose logs were found to be others than those that were read near the head, and that were read again
   * from there on, since the indexer started.
   */
  readonly blocksMended: number
  /** The current error in one sentence, without any secret; null without one. */
  readonly lastError: string | null
  /** When an indexer last reported this status; null if none has, as after an import. */
  readonly updatedAt: UnixMilliseconds | null
}

/**
 * The age of the index of a chain, in seconds; null while nothing is indexed. At the head the age of the status counts,
 * which the indexer renews at every poll, since an idle chain makes no blocks. Behind the head, the age of the indexed
 * block counts.
 */
export function secondsBehind(
  status: Pick<ChainStatus, 'phase' | 'headBlock' | 'indexedBlock' | 'indexedTimestamp' | 'updatedAt'>,
  now: UnixMilliseconds,
): number | null {
  const { phase, headBlock, indexedBlock, indexedTimestamp, updatedAt } = status
  const isAtHead =
    phase === 'following' && indexedBlock !== null && headBlock !== null && indexedBlock >= headBlock
  if (isAtHead && updatedAt !== null) return Math.max(0, Math.floor((now - updatedAt) / 1000))
  return indexedTimestamp === null ? null : Math.max(0, Math.floor(now / 1000) - indexedTimestamp)
}
