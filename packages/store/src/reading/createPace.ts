import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { tooMuchWork, type CountBudget, type Pace } from './tallyRows.ts'

const stepMax = 20_000
/** By how much a step may be larger than the one before. */
const stepGrowthMax = 4
/** How long a step should take at most: other reads wait for it. */
const stepTargetMs = 4

/** The thread that a long read shares with other reads. */
export interface SharedThread {
  /** Resolves in a turn of the event loop of its own. */
  turn(): Promise<void>
  /** Whether the reader was closed. */
  isClosed(): boolean
}

/** The pace of a long read that begins now; `thread` is null if the read keeps no other waiting. */
export function createPace(budget: CountBudget, thread: SharedThread | null): Pace {
  let spentMs = 0
  let step = budget.atOnceMax
  let stepStartMs: number | null = null

  function goOn(share = 1): void {
    const sinceMs = stepStartMs === null ? 0 : performance.now() - stepStartMs
    if (spentMs + sinceMs > budget.durationMaxMs * share) throw tooMuchWork(budget)
  }

  return {
    isShared: thread !== null,
    goOn,
    next: async () => {
      if (stepStartMs !== null) {
        // The time of other reads between the steps is not counted.
        const tookMs = Math.max(performance.now() - stepStartMs, 0.1)
        spentMs += tookMs
        const growth = Math.min(stepGrowthMax, stepTargetMs / tookMs)
        step = Math.max(1, Math.min(stepMax, Math.floor(step * growth)))
      }
      await thread?.turn()
      if (thread?.isClosed() === true) {
        throw new StoreUnavailableError('the database was closed while rows were counted')
      }
      stepStartMs = performance.now()
      goOn()
      return step
    },
  }
}
