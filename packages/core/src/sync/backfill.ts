import type { LogDoubt } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { IndexWriter } from '../index/indexWriter.ts'
import type { EventSource } from './fetchEvents.ts'
import { assertFollows, fetchRange, isTallied, type BackfillTarget } from './fetchRange.ts'
import { createPendingEvents, eventLoad, type BackfillCommit } from './pendingEvents.ts'
import { createRangeQueue } from './rangeQueue.ts'
import { createRecordCheck } from './recordCheck.ts'
import type { RecordGap } from './recordSeries.ts'
import { createRecordTally, type RecordTally } from './recordTally.ts'

export interface BackfillListener {
  onCommit(commit: BackfillCommit): void
  /**
   * Called before blocks are committed whose records are missing, when no commit is in flight: the last `onCommit` told
   * of the checkpoint. A rejection ends the backfill; else it goes on without them.
   */
  onGap(gap: RecordGap, signal: AbortSignal): Promise<void>
  /** Called before blocks are committed whose logs may be incomplete. A rejection ends the backfill. */
  onDoubt(doubt: LogDoubt): Promise<void>
}

/**
 * Indexes final blocks: fetches several ranges at the same time and commits them in order. On return the checkpoint is
 * `target.lastBlock`. Invariants, also after a failure:
 * 1. Every commit is of whole blocks and follows the commit before it.
 * 2. The index remembers the last block of a range as it was before its logs were fetched. Should the chain change
 *    below that block meanwhile, the next comparison with the chain shows it.
 */
export async function backfill(
  source: EventSource,
  writer: IndexWriter,
  target: BackfillTarget,
  { onCommit, onGap, onDoubt }: BackfillListener,
  signal: AbortSignal,
): Promise<void> {
  // When one range fails, the inner signal ends the others, so that no request outlives this call.
  const stop = new AbortController()
  const inner = AbortSignal.any([signal, stop.signal])
  const tally = startTally(source, target, inner)
  tally.catch(() => undefined)
  const pending = createPendingEvents(target, writer, onCommit, source.clock, signal)
  const checkRecords = createRecordCheck(target, tally, source.client.isAlone(), {
    onGap: async (gap) => {
      await pending.settle()
      await onGap(gap, inner)
    },
    fetchTimestamp: (blockNumber) => fetchTimestamp(source, blockNumber, inner),
    assertKept: (log) => assertKept(source, log, inner),
  })
  const ranges = createRangeQueue(
    { fromBlock: target.fromBlock, toBlock: target.lastBlock.number },
    () => source.client.logRangeBlocks(),
    (range) => fetchRange(source, range, target, inner),
  )
  let previous = target.tip
  try {
    for (let range = ranges.next(); range !== undefined; range = ranges.next()) {
      const fetched = await range.fetched
      const doubt = source.client.takeLogDoubts()
      if (doubt.fromBlock !== null || doubt.unsettled.length > 0) {
        await pending.settle()
        await onDoubt(doubt)
      }
      assertFollows(previous, fetched.firstHeader)
      previous = fetched.lastHeader
      const load = eventLoad(fetched.events)
      ranges.noteLoad(range, load)
      const records = await checkRecords(fetched)
      pending.add(fetched, load)
      if (pending.isDue(records)) await pending.commit()
    }
    await pending.settle()
  } finally {
    stop.abort()
    await Promise.allSettled([pending.settle(), ranges.settle(), tally])
  }
}

/** Null where the numbers of records are not followed. */
async function startTally(
  source: EventSource,
  target: BackfillTarget,
  signal: AbortSignal,
): Promise<RecordTally | null> {
  if (!isTallied(source, target)) return null
  const timestampOf = (blockNumber: number) => fetchTimestamp(source, blockNumber, signal)
  return createRecordTally(source, target.fromBlock, timestampOf, signal)
}

async function fetchTimestamp(
  { client }: EventSource,
  blockNumber: number,
  signal: AbortSignal,
): Promise<number> {
  const [header] = await client.fetchHeaders(blockNumber, blockNumber, signal)
  return header?.timestamp ?? 0
}

/**
 * Checks that all endpoints that are asked for old logs return this one, of a record that its contract says was made.
 * Earlier answers of an endpoint without the log may be those of a pruned node, so the uncommitted blocks are fetched
 * again.
 * @throws InconsistentChainError, retryable, if an endpoint does not return the log.
 */
async function assertKept(source: EventSource, log: ChainLog, signal: AbortSignal): Promise<void> {
  const hosts = await source.client.proveLog(log, signal)
  if (hosts.length === 0) return
  throw new InconsistentChainError(
    `${hosts.join(', ')} gave no log of block ${log.blockNumber}, which others have`,
    {
      retryable: true,
      facts: { hosts, blockNumber: log.blockNumber },
    },
  )
}
