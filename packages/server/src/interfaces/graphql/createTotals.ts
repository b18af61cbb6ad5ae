import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'

/** Counts rows for one request. */
export type CountRows = <Counted>(count: () => Promise<Counted>) => Promise<Counted>

/** The longest time for all totals of one request; the store bounds each of them. */
const durationMaxMs = 2_000

/**
 * Counts the totals of one request one after another: a query may ask for many, each of which may pass over millions of
 * rows, while other requests wait. Once the time is used up, the remaining totals are refused.
 * @param nowMs a monotonic clock.
 */
export function createTotals(nowMs: () => number = () => performance.now()): CountRows {
  let last: Promise<unknown> = Promise.resolve()
  let spentMs = 0

  async function countWithin<Counted>(count: () => Promise<Counted>): Promise<Counted> {
    if (spentMs > durationMaxMs) {
      throw new StoreTooMuchWorkError('the totals of this request have taken their time')
    }
    const startedMs = nowMs()
    try {
      return await count()
    } finally {
      spentMs += nowMs() - startedMs
    }
  }

  return (count) => {
    const result = last.then(() => countWithin(count))
    last = result.catch(() => undefined)
    return result
  }
}
