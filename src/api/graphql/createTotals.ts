import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'

/** Counts rows for one request. */
export type CountRows = (count: () => Promise<number>) => Promise<number>

/** How long the totals of one request may take, all together; the store bounds each of them for itself. */
const durationMaxMs = 2_000

/**
 * Totals of one request, one after another: a query may ask for many, each of which may have to pass over rows by the million, and other
 * requests want their turn. Once they have taken their time, those that are left are refused.
 * @param nowMs a clock that never goes back.
 */
export function createTotals(nowMs: () => number = () => performance.now()): CountRows {
  let last: Promise<unknown> = Promise.resolve()
  let spentMs = 0

  async function countWithin(count: () => Promise<number>): Promise<number> {
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
