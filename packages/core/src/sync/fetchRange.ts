import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { blockNumbers, type BlockRef, type RememberedBlock } from '../model/chainState.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { isUnannounced } from '../model/position.ts'
import type { UnixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { fetchEvents, fetchHeadLogs, fetchOwnLogs, type EventSource } from './fetchEvents.ts'
import type { TalliedRange } from './recordSeries.ts'
import { sealBlocks } from './sealLogs.ts'
import { isNumbered, tallyLogs } from './tallyLogs.ts'

/** Blocks behind the head in which nodes behind one URL may differ. Every node, even a pruned one, has their logs. */
export const nearHeadBlocks = 128

export interface BackfillTarget {
  readonly chainId: ChainId
  /** First block to index. */
  readonly fromBlock: number
  /** The block before `fromBlock`, where the index remembers it: `fromBlock` must be its child. */
  readonly tip: BlockRef | null
  /** The oldest block that the index remembers, up to `fromBlock` without a gap; null if it remembers none. */
  readonly oldestBlock: number | null
  /** Last block to index, with its header. The block is final, so records are read at the newest state. */
  readonly lastBlock: BlockRef
  readonly headBlock: number
  readonly headTimestamp: UnixSeconds
}

/** Blocks of a backfill that are fetched together. */
export interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
}

export interface FetchedRange extends BlockRange {
  readonly events: readonly DomainEvent[]
  readonly kinds: TalliedRange['kinds']
  /** The first log of a record that its contract numbers. Null if no log has one, or the backfill has no old blocks. */
  readonly firstRecord: ChainLog | null
  readonly firstHeader: BlockRef
  readonly lastHeader: BlockRef
  /** The blocks to remember, ascending: those near the head, with seals, or the last one. */
  readonly remembered: readonly RememberedBlock[]
  /** The time of the newest log; null if the range has no log. */
  readonly lastTimestamp: UnixSeconds | null
}

/** Whether the backfill has blocks whose logs an endpoint may have pruned. */
export function hasOldBlocks({ fromBlock, headBlock }: BackfillTarget): boolean {
  return headBlock - fromBlock >= nearHeadBlocks
}

/** Whether the numbers of records are followed: an endpoint may omit logs of the backfill, or a contract its records'. */
export function isTallied({ silent }: EventSource, target: BackfillTarget): boolean {
  return hasOldBlocks(target) || silent.length > 0
}

/**
 * The events of a range and the headers of its first and last block.
 * @throws InconsistentChainError, retryable, where the last block of the target was replaced, or endpoints contradict
 *   each other.
 */
export async function fetchRange(
  source: EventSource,
  { fromBlock, toBlock }: BlockRange,
  target: BackfillTarget,
  signal: AbortSignal,
): Promise<FetchedRange> {
  const { headBlock, headTimestamp, lastBlock } = target
  const firstNear = Math.max(fromBlock, headBlock - nearHeadBlocks + 1)
  const wanted = new Set([fromBlock, ...blockNumbers(firstNear, toBlock), toBlock])
  const headers = await source.client.fetchHeadersOf([...wanted], signal)
  const [firstHeader, lastHeader] = [headers[0], headers.at(-1)]
  if (firstHeader === undefined || lastHeader === undefined)
    throw new RangeError(`no blocks from ${fromBlock} to ${toBlock}`)
  if (toBlock === lastBlock.number && lastHeader.hash !== lastBlock.hash) throw changedBlock(toBlock)
  const far =
    fromBlock < firstNear
      ? await fetchOwnLogs(source, fromBlock, Math.min(toBlock, firstNear - 1), signal)
      : []
  // Near the head a node may have a block without its logs, or lag behind the node that reported the head. The logs of
  // these blocks are checked against the headers, as the logs of blocks that are not final are.
  const nearHeaders = headers.filter(({ number }) => number >= firstNear)
  const near = nearHeaders.length === 0 ? [] : await fetchHeadLogs(source, nearHeaders, signal)
  const logs = [...far, ...near]
  const at = { kind: 'latest', finalTimestamp: lastBlock.timestamp, headTimestamp } as const
  const [events, kinds] = await Promise.all([
    fetchEvents(source, logs, at, signal),
    isTallied(source, target) ? tallyLogs(source, logs, signal) : [],
  ])
  const isProof = (log: ChainLog) => !isUnannounced(log.position) && isNumbered(source, log)
  const firstRecord = hasOldBlocks(target) ? (far.find(isProof) ?? null) : null
  return {
    fromBlock,
    toBlock,
    events,
    kinds,
    firstRecord,
    firstHeader,
    lastHeader,
    remembered: nearHeaders.length === 0 ? [lastHeader] : sealBlocks(nearHeaders, near),
    lastTimestamp: logs.at(-1)?.blockTimestamp ?? null,
  }
}

/**
 * Checks that a range follows the block before it. Ranges are fetched at different times, perhaps from different
 * endpoints, which may serve different forks. Null: no block before the range is known.
 * @throws InconsistentChainError, retryable.
 */
export function assertFollows(previous: BlockRef | null, next: Pick<BlockRef, 'parentHash'>): void {
  if (previous === null || next.parentHash === previous.hash) return
  throw changedBlock(previous.number)
}

function changedBlock(blockNumber: number): InconsistentChainError {
  return new InconsistentChainError(
    `block ${blockNumber} is another one than a moment ago, though it is final`,
    {
      retryable: true,
      facts: { blockNumber },
    },
  )
}
