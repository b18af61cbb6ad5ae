import type { Clock } from '../model/clock.ts'

/** How many calls one endpoint takes in a request. */
export interface BatchSize {
  batchSizeMax(): number
  /** Remembers that so many calls in one request were too many. */
  limitBatch(refusedSize: number, suggestedSize: number | null): void
  /** A batch failed, in words that do not speak of its size, and a smaller one passed. Twice in a row limits batches for a while. */
  doubtBatch(failedSize: number): void
  /** A batch of this size passed. */
  noteBatch(size: number): void
}

/** Batches that failed while a smaller one passed, without one of full size between. An outage may end in between once. */
const batchDoubtsMin = 2
/** How long a size of batches that nobody named is kept before larger ones are tried. */
const batchGrowthMs = 600_000

/** @param onLimit receives each size that is smaller than the one before. */
export function createBatchSize(
  sizeMax: number,
  clock: Pick<Clock, 'nowMs'>,
  onLimit: (batchMax: number) => void,
): BatchSize {
  /** The size that the endpoint refused to exceed, and the size that it takes for now. */
  let cap = sizeMax
  let current = sizeMax
  let doubts = 0
  let growsAtMs = 0

  function narrow(size: number): void {
    doubts = 0
    if (size >= current) return
    current = size
    growsAtMs = clock.nowMs() + batchGrowthMs
    onLimit(size)
  }

  return {
    batchSizeMax: () => current,
    limitBatch: (refusedSize, suggestedSize) => {
      const size = Math.max(1, Math.min(suggestedSize ?? Math.floor(refusedSize / 2), refusedSize - 1))
      cap = Math.min(cap, size)
      narrow(size)
    },
    doubtBatch: (failedSize) => {
      doubts++
      if (doubts >= batchDoubtsMin) narrow(Math.floor(failedSize / 2))
    },
    noteBatch: (size) => {
      if (size < current) return
      doubts = 0
      if (current >= cap || clock.nowMs() < growsAtMs) return
      current = Math.min(cap, 2 * current)
      growsAtMs = clock.nowMs() + batchGrowthMs
    },
  }
}
