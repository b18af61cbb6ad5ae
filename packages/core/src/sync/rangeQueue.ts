import type { BlockRange } from './fetchRange.ts'

/** Events that a range should hold where events are sparse, so that their reads and block times share requests. */
const eventsPerRange = 500
/**
 * Most events that a range should hold where events are dense: all ranges in flight are in memory at once. Ranges of 2,500
 * events were no faster: in turns, thrice each, 14,233 events a second into SQLite instead of 14,476, and 8,811 into
 * PostgreSQL instead of 8,790.
 */
const eventsPerRangeMax = 1_250
/** Most log requests that one range takes: a failed range is fetched again as a whole. */
const requestsPerRangeMax = 32
/** The first ranges of a long backfill have this fraction of a request's blocks, so that the store gets work early. */
const firstRangeShare = 8
/**
 * Ranges fetched at the same time. More than the least would only wait for the store where endpoints are fast, and each
 * holds its logs in memory. A range takes four requests one after the other: from an endpoint that takes 200 ms, sixteen
 * ranges bring 25,000 events a second.
 */
const rangesInFlightMin = 4
const rangesInFlightMax = 16
/** Most log requests of all ranges in flight: where events get dense at once, each answer may hold many. */
const requestsInFlightMax = rangesInFlightMin * requestsPerRangeMax

/** The ranges of a backfill that are being fetched, in the order of their blocks. */
export interface RangeQueue<Fetched> {
  /** The next range, whose fetch has begun. Undefined after the last range. */
  next(): RangeInFlight<Fetched> | undefined
  /** Sets the size of later ranges by the load of a fetched one (`eventLoad`), and begins to fetch more ranges. */
  noteLoad(range: BlockRange, load: number): void
  /** Resolves when no fetch is in flight. Never rejects. */
  settle(): Promise<void>
}

interface RangeInFlight<Fetched> extends BlockRange {
  readonly fetched: Promise<Fetched>
  isFetched: boolean
  /** Log requests that it takes. */
  readonly requests: number
}

/** `logRangeBlocks` gives the number of blocks that one log request covers at present. */
export function createRangeQueue<Fetched>(
  { fromBlock, toBlock }: BlockRange,
  logRangeBlocks: () => number,
  fetch: (range: BlockRange) => Promise<Fetched>,
): RangeQueue<Fetched> {
  const inFlight: RangeInFlight<Fetched>[] = []
  let nextBlock = fromBlock
  let blocksPerEvent: number | null = null
  let inFlightMax = rangesInFlightMin

  function fill(): void {
    while (inFlight.length < inFlightMax && nextBlock <= toBlock) {
      const requestBlocks = logRangeBlocks()
      const blocks = rangeBlocks(requestBlocks, blocksPerEvent, toBlock - nextBlock + 1)
      const requests = Math.ceil(blocks / requestBlocks)
      const requestsInFlight = inFlight.reduce((sum, each) => sum + each.requests, requests)
      if (inFlight.length >= rangesInFlightMin && requestsInFlight > requestsInFlightMax) return
      const range = { fromBlock: nextBlock, toBlock: Math.min(toBlock, nextBlock + blocks - 1) }
      const begun: RangeInFlight<Fetched> = { ...range, fetched: fetch(range), isFetched: false, requests }
      const end = () => {
        begun.isFetched = true
      }
      // The error is thrown when the range's turn comes. Until then the rejection must not count as unhandled.
      begun.fetched.then(end, end)
      inFlight.push(begun)
      nextBlock = range.toBlock + 1
    }
  }

  /** Fetches more ranges at a time while the store waits for ranges, and fewer while all ranges wait for the store. */
  function adapt(): void {
    if (inFlight[0]?.isFetched === false) inFlightMax = Math.min(rangesInFlightMax, inFlightMax + 1)
    else if (inFlight.every(({ isFetched }) => isFetched))
      inFlightMax = Math.max(rangesInFlightMin, inFlightMax - 1)
  }

  return {
    next() {
      adapt()
      fill()
      return inFlight.shift()
    },
    noteLoad(range, load) {
      blocksPerEvent = (range.toBlock - range.fromBlock + 1) / Math.max(1, load)
      fill()
    },
    async settle() {
      await Promise.allSettled(inFlight.map(({ fetched }) => fetched))
    },
  }
}

/**
 * Blocks of the next range: of several log requests where events are sparse, of a part of one where events are so dense
 * that one request brings more than a commit holds. `blocksPerEvent` is null until the first range has been fetched.
 */
export function rangeBlocks(
  requestBlocks: number,
  blocksPerEvent: number | null,
  blocksLeft: number,
): number {
  if (blocksPerEvent === null) {
    const isLong = blocksLeft > rangesInFlightMin * requestBlocks
    return isLong ? Math.ceil(requestBlocks / firstRangeShare) : requestBlocks
  }
  const requests = Math.floor((eventsPerRange * blocksPerEvent) / requestBlocks)
  if (requests >= 1) return requestBlocks * Math.min(requestsPerRangeMax, requests)
  return Math.min(requestBlocks, Math.ceil(eventsPerRangeMax * blocksPerEvent))
}
