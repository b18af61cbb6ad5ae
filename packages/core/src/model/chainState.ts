import type { ChainId } from './compositeId.ts'
import type { ExplorerLinks } from './explorerLinks.ts'
import type { Address, Hash } from './hex.ts'
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
   * block. Absent if the block was old enough when it was read.
   */
  readonly logsSeal?: string
}

/** Records that were found missing from the index of a chain, or wrong in it, and are not known to be mended. */
export interface Defect {
  /** The affected blocks; both null if they are not known. */
  readonly fromBlock: number | null
  readonly toBlock: number | null
  /** One sentence, for operators. */
  readonly text: string
}

/** The last comparison of the index of a chain with its endpoints by `attestry verify`. */
export interface Verification {
  readonly at: UnixSeconds
  /** The block of the comparison; null if none was compared. */
  readonly upToBlock: number | null
  /** Blocks that were compared, and the events in them. */
  readonly blocks: number
  readonly events: number
  readonly differences: number
  /** Whether everything that was asked for could be compared. */
  readonly isComplete: boolean
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

/** The source of new heads: a subscription to an endpoint, or polls. */
export type HeadSource = 'subscription' | 'polling'

/**
 * The evidence for the completeness of a contract's history.
 * - `counted`: the numbers of its records have no gap, and the last one is the contract's counter.
 * - `compared`: another endpoint gave the same logs for a sample of ranges.
 * - `split`: one endpoint gave the same logs for a sample of ranges, asked for in parts.
 * - `unverified`: no check was possible, or logs are known to be missing.
 */
export type Completeness = (typeof completenessLevels)[number]
/** From the strongest to the weakest. */
export const completenessLevels = ['counted', 'compared', 'split', 'unverified'] as const

/** Findings about the history of a contract; `describeHistory` derives its completeness. */
export interface ContractHistory {
  readonly protocol: ProtocolName
  readonly address: Address
  /** The last block of the newest check, whatever it found. */
  readonly checkedBlock: number
  /** The records that were counted, up to a block; null if the contract's numbers prove nothing. */
  readonly counted: { readonly toBlock: number; readonly records: number } | null
  /** The sample of ranges whose logs agreed, of blocks up to `toBlock`; null without one. */
  readonly sample: HistorySample | null
  /** Why there is neither; null if there is one. */
  readonly reason: string | null
}

export interface HistorySample {
  readonly kind: 'compared' | 'split'
  readonly toBlock: number
  /** The blocks of the ranges, and the logs of the contract in them. */
  readonly blocks: number
  readonly logs: number
}

/** The completeness of a contract's history, for readers. */
export interface HistoryStatement extends Pick<ContractHistory, 'protocol' | 'address'> {
  readonly completeness: Completeness
  /** The block up to which it is known; null if nothing is known. */
  readonly toBlock: number | null
  /** The records that were counted; null if they were not counted. */
  readonly records: number | null
  /** The sample: blocks, and logs in them; null without one. */
  readonly blocks: number | null
  readonly logs: number | null
  /** The reason why it is not known; null if it is known. */
  readonly reason: string | null
}

/**
 * Describes the completeness of each contract's history. On a chain with a defect, nothing is known to be complete.
 * Evidence from above the indexed block no longer counts.
 */
export function describeHistory(
  contracts: readonly Pick<ContractHistory, 'protocol' | 'address'>[],
  { history, indexedBlock }: Pick<ChainStatus, 'history' | 'indexedBlock'>,
  defect: Defect | null,
): readonly HistoryStatement[] {
  return contracts.map(({ protocol, address }) => {
    const found = history.find((each) => each.protocol === protocol && each.address === address)
    const isValid = (known: { readonly toBlock: number } | null | undefined) =>
      defect === null && known != null && indexedBlock !== null && known.toBlock <= indexedBlock
    const counted = isValid(found?.counted) ? (found?.counted ?? null) : null
    const sample = isValid(found?.sample) ? (found?.sample ?? null) : null
    const completeness = counted === null ? (sample?.kind ?? 'unverified') : 'counted'
    const reason = defect?.text ?? found?.reason ?? 'its history was not checked yet'
    return {
      protocol,
      address,
      completeness,
      toBlock: counted?.toBlock ?? sample?.toBlock ?? null,
      records: counted?.records ?? null,
      blocks: sample?.blocks ?? null,
      logs: sample?.logs ?? null,
      reason: completeness === 'unverified' ? reason : null,
    }
  })
}

/** The weakest of several. */
export function weakestCompleteness(
  history: readonly Pick<HistoryStatement, 'completeness'>[],
): Completeness {
  const levels = history.map(({ completeness }) => completenessLevels.indexOf(completeness))
  return completenessLevels[Math.max(...levels)] ?? 'unverified'
}

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
  /**
   * The percentage of the published events of the chain that are indexed, while it is read from chunks; null otherwise.
   */
  readonly fromChunks: number | null
  readonly headSource: HeadSource
  /** Whether the index has reached the head of this chain at least once since the indexer started. */
  readonly reachedHead: boolean
  /** Blocks below the head that may still change. Absent from a status of an earlier version. */
  readonly finality?: number
  /** Events indexed a second in the recent past; 0 at rest. */
  readonly eventsPerSecond: number
  /**
   * Final blocks whose logs were found to be others than those that were read near the head, and that were read again
   * from there on, since the indexer started.
   */
  readonly blocksMended: number
  /** Findings about the completeness of the history, by contract. */
  readonly history: readonly ContractHistory[]
  /** The current error in one sentence, without any secret; null without one. */
  readonly lastError: string | null
  /** When an indexer last reported this status; null if none has, as after an import. */
  readonly updatedAt: UnixMilliseconds | null
}

/**
 * The distance of the index from the head, in blocks and in seconds of the chain's time. The time of blocks beyond the
 * index is unknown: at the head the distance is 0.
 */
export function lagOf({
  headBlock,
  headTimestamp,
  indexedBlock,
  indexedTimestamp,
}: Pick<ChainStatus, 'headBlock' | 'headTimestamp' | 'indexedBlock' | 'indexedTimestamp'>): {
  readonly blocks: number | null
  readonly seconds: number | null
} {
  const blocks = headBlock === null || indexedBlock === null ? null : Math.max(0, headBlock - indexedBlock)
  if (blocks === 0) return { blocks, seconds: 0 }
  const isTimed = headTimestamp !== null && indexedTimestamp !== null
  return { blocks, seconds: isTimed ? Math.max(0, headTimestamp - indexedTimestamp) : null }
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
