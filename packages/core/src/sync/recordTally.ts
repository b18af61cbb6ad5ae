import { RpcMissingError } from '../errors/rpcErrors.ts'
import type { RecordCounters, RecordKind } from '../protocols/protocolAdapter.ts'
import type { EventSource, IndexedDeployment } from './fetchEvents.ts'
import { followSeries, type RecordGap, type RecordSeries, type TalliedRange } from './recordSeries.ts'
import {
  countedDeployments,
  findNextId,
  probesBetween,
  readUnlessRefused,
  type CountedDeployment,
} from './tallyLogs.ts'

/**
 * Follows the numbers of records through a backfill, to notice logs that an endpoint omits: a pruned node answers
 * requests for old logs with an empty list. A record counts as missing only if its contract says that the record
 * exists: its number is followed by another, or its creation time is over.
 */
export interface RecordTally {
  /** Takes the logs of the next range. Returns the first gap and takes none of the logs if records are missing. */
  take(range: TalliedRange): RecordGap | null
  /** Whether a record is known to be created before a time, in Unix seconds, and not read yet. */
  awaitsRecordBefore(timestamp: number): boolean
  /**
   * Whether a record has the time of the last block taken, in Unix seconds, and was not in it. The endpoint omitted its
   * log, or a later block has the same time; the block after that one tells.
   */
  awaitsRecordAt(timestamp: number): boolean
  /** Stops following the series of a gap that no endpoint can fill. */
  giveUp(gap: RecordGap): void
}

/**
 * A tally that begins with `fromBlock`. `timestampOf` returns the time of a block, in Unix seconds. Series whose
 * contract does not answer how many records it has are not followed.
 */
export async function createRecordTally(
  source: EventSource,
  fromBlock: number,
  timestampOf: (blockNumber: number) => Promise<number>,
  signal: AbortSignal,
): Promise<RecordTally> {
  const started = await Promise.all(
    countedDeployments(source).map(async (counted) => {
      const { indexed, counters } = counted
      const sinceBlock = Math.max(fromBlock, indexed.deployment.startBlock)
      if (counters.searched !== null) {
        const expected = await findFirstSearched(source, counted, sinceBlock, signal)
        return counters.kinds.map((what): readonly RecordSeries[] => [
          { indexed, what, expected, expectedTime: null, sinceBlock, hasSeen: false, unreadable: [] },
        ])
      }
      const before = sinceBlock === 0 ? -1 : await timestampOf(sinceBlock - 1)
      return Promise.all(
        counters.kinds.map(async (what): Promise<readonly RecordSeries[]> => {
          const first = await findFirstAfter(source, indexed, counters, what, before, signal)
          if (first === null) return []
          const { number: expected, time: expectedTime } = first
          return [{ indexed, what, expected, expectedTime, sinceBlock, hasSeen: false, unreadable: [] }]
        }),
      )
    }),
  )
  let followed = started.flat(2)

  return {
    take(range) {
      const next: RecordSeries[] = []
      for (const series of followed) {
        const outcome = followSeries(series, range.kinds.find(isOf(series)), range)
        if (outcome.kind === 'gap') return outcome.gap
        if (outcome.kind === 'followed') next.push(outcome.series)
      }
      followed = next
      return null
    },
    awaitsRecordBefore: (timestamp) =>
      followed.some(({ expectedTime }) => expectedTime !== null && expectedTime < timestamp),
    awaitsRecordAt: (timestamp) =>
      followed.some(
        ({ expectedTime, unreadable }) => expectedTime === timestamp && !unreadable.includes(timestamp),
      ),
    giveUp(gap) {
      followed = followed.filter((series) => !isOf(gap)(series))
    },
  }
}

/**
 * The number of the first `searched` record from a block on. At the first block of the contract, that of its first
 * record if no endpoint has the state before. Further on, more than any number, so that the first log tells.
 */
async function findFirstSearched(
  source: EventSource,
  counted: CountedDeployment,
  sinceBlock: number,
  signal: AbortSignal,
): Promise<bigint> {
  const { indexed, counters } = counted
  const [what] = counters.kinds
  const { searched } = counters
  if (what === undefined || searched === null || sinceBlock > indexed.deployment.startBlock)
    return unknownNumber
  const firstNumber = counters.numberOf(searched.firstId)
  if (sinceBlock === 0) return firstNumber
  const [before] = await source.client.fetchHeaders(sinceBlock - 1, sinceBlock - 1, signal)
  if (before === undefined) return firstNumber
  try {
    const at = { kind: 'blockHash', hash: before.hash } as const
    const next = await findNextId(counted, what, (reads) => readUnlessRefused(source, reads, signal, at))
    return next === null ? firstNumber : counters.numberOf(next)
  } catch (error) {
    if (!(error instanceof RpcMissingError)) throw error
    return firstNumber
  }
}

/** No contract has so many records. */
const unknownNumber = 2n ** 255n

type SeriesKey = Pick<RecordSeries, 'indexed' | 'what'>

function isOf({ indexed, what }: SeriesKey): (other: SeriesKey) => boolean {
  return (other) => other.indexed === indexed && other.what === what
}

/**
 * The first record that was created after a time, in Unix seconds, found by a search among all numbers. If no record was
 * created after it, the next record to come. Unreadable records count as earlier. Null if the contract does not say how
 * many records it has.
 */
async function findFirstAfter(
  source: EventSource,
  { deployment }: IndexedDeployment,
  counters: RecordCounters,
  what: RecordKind,
  time: number,
  signal: AbortSignal,
): Promise<{ readonly number: bigint; readonly time: number | null } | null> {
  const next = counters.decodeNext(
    await readUnlessRefused(source, counters.planNext(deployment, what), signal),
  )
  if (next === null) return null
  // Invariant: all records below `low` are earlier, the record `high` is not.
  let low = 0n
  let high: { readonly number: bigint; readonly time: number | null } = {
    number: counters.numberOf(next),
    time: null,
  }
  while (low < high.number) {
    const probes = probesBetween(low, high.number)
    const reads = probes.map((number) => counters.planRecord(deployment, what, counters.idAt(number, next)))
    const results = await readUnlessRefused(source, reads, signal)
    if (results.length === 0) return null
    for (const [index, number] of probes.entries()) {
      const result = results[index]
      const created = result === undefined ? null : counters.decodeRecordTime(what, result)
      if (created === null || created <= time) low = number + 1n
      else {
        high = { number, time: created }
        break
      }
    }
  }
  return high
}
