import { describeChain } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexWriter } from '../store/indexWriter.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'

/** Work on what is stored of a chain, done at the head. */
export interface StoredWork {
  /** To be called when the chain is opened: whether there is work is not known yet. */
  begin(): void
  /** Does steps until nothing is left, or until a time. */
  advance(untilMs: number, signal: AbortSignal): Promise<void>
}

/** How often the log says how many attestations are left. */
const logIntervalMs = 10_000

/**
 * The work on a chain: the digest, where the chain was indexed before there were digests, and the index of fields, where
 * its setting was changed.
 */
export function createStoredWorks(
  writer: Pick<IndexWriter, 'advanceDigest' | 'advanceFields'>,
  { chainId, name }: Pick<IndexedChain, 'chainId' | 'name'>,
  { log, clock }: { readonly log: SyncLog; readonly clock: Clock },
): readonly StoredWork[] {
  const say = (text: string, facts = {}) =>
    log('info', `${describeChain(chainId, name)}: ${text}`, { chainId, ...facts })

  /** @param step does a step; resolves to a function that says what is left, or to null where nothing is. */
  function createWork(
    step: () => Promise<(() => void) | null>,
    intervalMs: number,
    done: string,
  ): StoredWork {
    let isDone = false
    let saidMs = Number.NEGATIVE_INFINITY
    let hasWorked = false
    return {
      begin: () => {
        isDone = false
      },
      advance: async (untilMs, signal) => {
        while (!isDone && !signal.aborted && clock.nowMs() < untilMs) {
          const sayLeft = await step()
          isDone = sayLeft === null
          hasWorked ||= !isDone
          if (clock.nowMs() - saidMs < intervalMs) continue
          saidMs = clock.nowMs()
          sayLeft?.()
        }
        if (!isDone || !hasWorked) return
        hasWorked = false
        say(done)
      },
    }
  }

  return [
    createWork(
      async () => {
        const isDone = await writer.advanceDigest(chainId)
        return isDone ? null : () => say('making the digest of the stored events')
      },
      Infinity,
      'the digest is complete',
    ),
    createWork(
      async () => {
        const { isDone, pending } = await writer.advanceFields(chainId)
        if (isDone) return null
        return () => say(`indexing decoded fields, ${pending} attestations are left`, { pending })
      },
      logIntervalMs,
      'decoded fields are indexed as the configuration says',
    ),
  ]
}
