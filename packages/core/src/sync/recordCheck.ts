import type { BlockRef } from '../model/chainState.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { BackfillTarget, FetchedRange } from './fetchRange.ts'
import type { RecordGap, TalliedRange } from './recordSeries.ts'
import type { RecordTally } from './recordTally.ts'

/**
 * The state of the blocks fetched so far, judged by the contracts' record numbers.
 * - `complete`: no record of these blocks is missing.
 * - `unproved`: no gap was found, but no endpoint has yet proved that it keeps old logs. An endpoint's empty answer may
 *   turn out to be that of a pruned node, and the blocks would have to be fetched again.
 * - `recordExpected`: a record has the time of the last block and is not among the logs. The log was omitted, or the
 *   record stands in a later block of the same time. A commit made now could not be reverted later.
 */
export type RecordState = 'complete' | 'unproved' | 'recordExpected'

/** The side effects of a check. */
export interface RecordCheckPorts {
  /**
   * Resolves after the gap was dealt with and the backfill goes on without its records; rejects to end the backfill.
   */
  onGap(gap: RecordGap): Promise<void>
  /** The time of a block, in Unix seconds. */
  fetchTimestamp(blockNumber: number): Promise<number>
  /** Rejects where an endpoint that answers requests for old logs does not return this log. */
  assertKept(log: ChainLog): Promise<void>
}

/**
 * A function that checks the ranges of a backfill, in the order of their blocks, for missing records. `tally` resolves
 * to null if nothing is counted. `isAlone`: the chain has one endpoint, so none
 * can contradict it.
 */
export function createRecordCheck(
  target: Pick<BackfillTarget, 'headBlock'> & { readonly lastBlock: Pick<BlockRef, 'number' | 'timestamp'> },
  tally: Promise<RecordTally | null>,
  isAlone: boolean,
  { onGap, fetchTimestamp, assertKept }: RecordCheckPorts,
): (
  range: Pick<FetchedRange, 'fromBlock' | 'toBlock' | 'kinds' | 'firstRecord' | 'lastHeader'>,
) => Promise<RecordState> {
  const { headBlock, lastBlock } = target
  let isProved = isAlone

  async function meetGaps(counted: RecordTally | null, range: TalliedRange): Promise<void> {
    if (counted === null) return
    for (let gap = counted.take(range); gap !== null; gap = counted.take(range)) {
      await onGap(gap)
      counted.giveUp(gap)
    }
  }

  return async ({ fromBlock, toBlock, kinds, firstRecord, lastHeader }) => {
    const counted = await tally
    await meetGaps(counted, { fromBlock, toBlock, lastTimestamp: lastHeader.timestamp, kinds })
    const isExpected = counted?.awaitsRecordAt(lastHeader.timestamp) === true
    // No range follows the last one: the time of the next block tells whether the expected record was omitted.
    if (isExpected && toBlock === lastBlock.number && headBlock > toBlock) {
      const lastTimestamp = await fetchTimestamp(toBlock + 1)
      await meetGaps(counted, { fromBlock, toBlock, lastTimestamp, kinds: [] })
    }
    if (!isProved && firstRecord !== null) {
      await assertKept(firstRecord)
      isProved = true
    }
    if (isExpected) return 'recordExpected'
    const isUnproved = !isProved && counted?.awaitsRecordBefore(lastBlock.timestamp) === true
    return isUnproved ? 'unproved' : 'complete'
  }
}
