import type { BlockHeader } from '../chain/chainClient.ts'
import { AttestryError } from '../errors/baseError.ts'
import { StoreUnavailableError } from '../errors/storeErrors.ts'
import type { Clock } from '../model/clock.ts'
import type { ContractHistory } from '../model/chainState.ts'
import { lastFinal, type HistoryCheck, type HistoryOutcome } from './historyCheck.ts'
import type { Progress } from './openProgress.ts'

/** Checks of the history that run beside the indexing of new blocks, one at a time. */
export interface HistoryWork {
  /** Starts a check if it is due. The index is to be at the head. */
  start(progress: Progress, head: BlockHeader, history: readonly ContractHistory[], signal: AbortSignal): void
  /** Resolves when the running check has ended; null if none runs. */
  ended(): Promise<void> | null
  /**
   * The outcome of a check that has ended since the last call; null if no check has.
   * @throws the error of a check that failed for another reason than endpoints that fail at present.
   */
  take(): HistoryOutcome | null
  /** Ends a check of blocks above this one, which the index lost. */
  stopAbove(keptBlock: number): void
}

/** The pause after a check that failed. */
const retryMs = 60_000

interface Running {
  readonly toBlock: number
  readonly ending: AbortController
  ended: Promise<void> | null
  result: { readonly outcome: HistoryOutcome } | { readonly error: unknown } | null
}

/** `clock` measures durations. */
export function createHistoryWork(
  history: Pick<HistoryCheck, 'check' | 'isDue'>,
  clock: Pick<Clock, 'nowMs'>,
): HistoryWork {
  let running: Running | null = null
  let failedMs = Number.NEGATIVE_INFINITY

  return {
    start(progress, head, known, signal) {
      if (running !== null || clock.nowMs() - failedMs < retryMs) return
      if (!history.isDue(progress, head, known)) return
      const toBlock = lastFinal(progress.source, progress.indexed.blockNumber, head)
      const started: Running = { toBlock, ending: new AbortController(), ended: null, result: null }
      running = started
      started.ended = history.check(progress, head, AbortSignal.any([signal, started.ending.signal])).then(
        (outcome) => void (started.result = { outcome }),
        (error: unknown) => void (started.result = { error }),
      )
    },
    ended: () => running?.ended ?? null,
    take() {
      const result = running?.result ?? null
      if (result === null) return null
      running = null
      if ('outcome' in result) return result.outcome
      const { error } = result
      const passes = error instanceof AttestryError && error.retryable
      if (!passes || error instanceof StoreUnavailableError) throw error
      failedMs = clock.nowMs()
      return null
    },
    stopAbove(keptBlock) {
      if (running === null || running.toBlock <= keptBlock) return
      running.ending.abort()
      running = null
    },
  }
}
