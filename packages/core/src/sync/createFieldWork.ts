import { describeChain } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexWriter } from '../index/indexWriter.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'

/** Brings the index of decoded fields of a chain to its setting, at the head. */
export interface FieldWork {
  /** To be called when the chain is opened: whether there is work is not known yet. */
  begin(): void
  /** Does steps until nothing is left, or until a time. */
  advance(untilMs: number, signal: AbortSignal): Promise<void>
}

/** How often the log says how many attestations are left. */
const logIntervalMs = 10_000

export function createFieldWork(
  writer: Pick<IndexWriter, 'advanceFields'>,
  { chainId, name }: Pick<IndexedChain, 'chainId' | 'name'>,
  { log, clock }: { readonly log: SyncLog; readonly clock: Clock },
): FieldWork {
  let isDone = false
  let saidMs = Number.NEGATIVE_INFINITY
  let hasWorked = false
  const say = (text: string, facts = {}) =>
    log('info', `${describeChain(chainId, name)}: ${text}`, { chainId, ...facts })
  return {
    begin: () => {
      isDone = false
    },
    advance: async (untilMs, signal) => {
      while (!isDone && !signal.aborted && clock.nowMs() < untilMs) {
        const progress = await writer.advanceFields(chainId)
        isDone = progress.isDone
        hasWorked ||= !isDone
        if (isDone || clock.nowMs() - saidMs < logIntervalMs) continue
        saidMs = clock.nowMs()
        const { pending } = progress
        say(`indexing decoded fields, ${pending} attestations are left`, { pending })
      }
      if (!isDone || !hasWorked) return
      hasWorked = false
      say('decoded fields are indexed as the configuration says')
    },
  }
}
