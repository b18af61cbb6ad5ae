import type { ChainClient } from '../chain/chainClient.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexedBlocks } from './chainStep.ts'
import { compareRecords } from './compareRecords.ts'
import type { EventSource } from './fetchEvents.ts'
import type { FetchedHead } from './fetchHeadBlocks.ts'

/** Compares the endpoints of a followed chain, once a minute each by a block and by a new record. */
export interface EndpointSamples {
  /** Compares the oldest remembered block if it is final. */
  compareBlock(
    indexed: Pick<IndexedBlocks, 'recentBlocks'>,
    finalBlock: number,
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Compares one of the records that were just fetched.
   * @throws InconsistentChainError, retryable, if endpoints disagree; the next record is compared then, too.
   */
  compareRecord(
    source: EventSource,
    fetched: Pick<FetchedHead, 'logs' | 'events' | 'at'>,
    signal: AbortSignal,
  ): Promise<void>
}

const compareIntervalMs = 60_000

/** `clock` measures durations. */
export function createEndpointSamples(
  client: Pick<ChainClient, 'fetchAgreedHeader'>,
  clock: Pick<Clock, 'nowMs'>,
): EndpointSamples {
  let blockComparedMs = clock.nowMs()
  let recordComparedMs = Number.NEGATIVE_INFINITY
  const isDue = (comparedMs: number) => clock.nowMs() - comparedMs >= compareIntervalMs

  return {
    async compareBlock({ recentBlocks: [oldest] }, finalBlock, signal) {
      if (oldest === undefined || oldest.number > finalBlock || !isDue(blockComparedMs)) return
      blockComparedMs = clock.nowMs()
      await client.fetchAgreedHeader(oldest.number, oldest.hash, signal)
    },
    async compareRecord(source, { logs, events, at }, signal) {
      if (events.length === 0 || !isDue(recordComparedMs)) return
      await compareRecords(source, logs, at, signal)
      recordComparedMs = clock.nowMs()
    },
  }
}
