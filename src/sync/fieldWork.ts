import { describeChain } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexWriter } from '../store/indexWriter.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'

/** Work on what is stored of a chain, as a change of the setting of the index of fields asks for, done at the head. */
export interface FieldWork {
  /** To be called when the chain is opened: whether there is work is not known yet. */
  begin(): void
  /** Does steps until nothing is left, or until a time. */
  advance(untilMs: number, signal: AbortSignal): Promise<void>
}

/** How often the log says how far the work is. */
const logIntervalMs = 10_000

export function createFieldWork(
  writer: Pick<IndexWriter, 'advanceFields'>,
  { chainId, name }: Pick<IndexedChain, 'chainId' | 'name'>,
  { log, clock }: { readonly log: SyncLog; readonly clock: Clock },
): FieldWork {
  let isDone = false
  let hasWorked = false
  let saidMs = Number.NEGATIVE_INFINITY

  function say(pending: number): void {
    saidMs = clock.nowMs()
    log(
      'info',
      `${describeChain(chainId, name)}: indexing decoded fields, ${pending} attestations are left`,
      {
        chainId,
        pending,
      },
    )
  }

  return {
    begin: () => {
      isDone = false
    },
    advance: async (untilMs, signal) => {
      while (!isDone && !signal.aborted && clock.nowMs() < untilMs) {
        const progress = await writer.advanceFields(chainId)
        isDone = progress.isDone
        if (isDone) break
        hasWorked = true
        if (clock.nowMs() - saidMs >= logIntervalMs) say(progress.pending)
      }
      if (!isDone || !hasWorked) return
      hasWorked = false
      log('info', `${describeChain(chainId, name)}: decoded fields are indexed as the configuration says`, {
        chainId,
      })
    },
  }
}
