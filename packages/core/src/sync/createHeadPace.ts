import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import type { Clock } from '../model/clock.ts'
import { nextPollMs, noRhythm, notePoll } from './headRhythm.ts'

/** When the head of a chain is fetched next. */
export interface HeadPace {
  /** Fetches the head. */
  fetchHead(signal: AbortSignal): Promise<BlockHeader>
  /** The time at which the next head is due to be fetched, unless a subscription announces one before. */
  nextMs(): number
  /** Waits until then. Does not reject after an abort. */
  wait(signal: AbortSignal): Promise<void>
}

export function createHeadPace(
  client: Pick<ChainClient, 'fetchHead' | 'awaitHead' | 'headSource'>,
  pollIntervalMs: number,
  clock: Clock,
): HeadPace {
  let rhythm = noRhythm
  let wasTold = false

  const nextMs = () => nextPollMs(rhythm, pollIntervalMs, client.headSource() === 'subscription')
  return {
    async fetchHead(signal) {
      const atMs = clock.nowMs()
      const head = await client.fetchHead(signal)
      rhythm = notePoll(
        rhythm,
        { number: head.number, timestampMs: head.timestamp * 1_000, atMs, wasTold },
        pollIntervalMs,
      )
      wasTold = false
      return head
    },
    nextMs,
    async wait(signal) {
      wasTold = await client.awaitHead(Math.max(0, nextMs() - clock.nowMs()), signal).catch(() => false)
    },
  }
}
