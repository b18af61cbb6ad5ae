import type { ChainClient } from '../chain/chainClient.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexedBlocks } from './chainStep.ts'

/** Compares the endpoints of a followed chain by a block, once a minute. */
export interface EndpointSamples {
  /** Compares the oldest remembered block if it is final. */
  compareBlock(
    indexed: Pick<IndexedBlocks, 'recentBlocks'>,
    finalBlock: number,
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
  const isDue = (comparedMs: number) => clock.nowMs() - comparedMs >= compareIntervalMs

  return {
    async compareBlock({ recentBlocks: [oldest] }, finalBlock, signal) {
      if (oldest === undefined || oldest.number > finalBlock || !isDue(blockComparedMs)) return
      blockComparedMs = clock.nowMs()
      await client.fetchAgreedHeader(oldest.number, oldest.hash, signal)
    },
  }
}
