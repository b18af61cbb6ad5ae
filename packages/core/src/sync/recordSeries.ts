import type { RecordKind } from '../protocols/protocolAdapter.ts'
import type { IndexedDeployment } from './fetchEvents.ts'

/** The records of one kind and contract, which numbers them one by one, as a backfill meets them. */
export interface RecordSeries {
  readonly indexed: IndexedDeployment
  readonly what: RecordKind
  /** The number of the next record. */
  readonly expected: bigint
  /**
   * The creation time of that record, in Unix seconds; null if the record does not exist yet or its time is unknown.
   */
  readonly expectedTime: number | null
  /** The first block that may hold that record. */
  readonly sinceBlock: number
  /** Whether a log of the series was read. Before the first one, `expected` may be too high. */
  readonly hasSeen: boolean
  /**
   * The times of unreadable logs that announce records, since the last readable one, in Unix seconds. Each may be the
   * log of a record of the series.
   */
  readonly unreadable: readonly number[]
}

/** The logs of one kind and contract in a range of whole blocks. */
export interface TalliedKind {
  readonly indexed: IndexedDeployment
  readonly what: RecordKind
  /** The numbers of the records, ascending. */
  readonly numbers: readonly bigint[]
  /** The times of unreadable logs that announce a record of this kind, in Unix seconds. */
  readonly unreadable: readonly number[]
  /** The last block with a readable log. */
  readonly lastBlock: number
  /**
   * The creation time of the record after the last of `numbers`, in Unix seconds; null if the record does not exist yet
   * or its time is unknown.
   */
  readonly followingTime: number | null
}

/** The logs of numbered records in a range of whole blocks. */
export interface TalliedRange {
  readonly fromBlock: number
  readonly toBlock: number
  /**
   * The time of the last block, or of the block after it, in Unix seconds. Every record that was created earlier stands
   * in these blocks or in earlier ones.
   */
  readonly lastTimestamp: number
  readonly kinds: readonly TalliedKind[]
}

/** Records that exist and whose logs are missing: numbers `first` to `last`, in the blocks `fromBlock` to `toBlock`. */
export interface RecordGap {
  readonly indexed: IndexedDeployment
  readonly what: RecordKind
  readonly first: bigint
  readonly last: bigint
  readonly fromBlock: number
  readonly toBlock: number
}

export type FollowedSeries =
  | { readonly kind: 'followed'; readonly series: RecordSeries }
  | { readonly kind: 'gap'; readonly gap: RecordGap }
  /** The numbers do not ascend: the contract does not number its records one by one. */
  | { readonly kind: 'uncounted' }

/** Follows a series through the logs of the next range. `kind`: the logs of the series; undefined if it has no logs. */
export function followSeries(
  series: RecordSeries,
  kind: TalliedKind | undefined,
  range: Pick<TalliedRange, 'toBlock' | 'lastTimestamp'>,
): FollowedSeries {
  const { indexed, what } = series
  const numbers = kind?.numbers ?? []
  const newUnreadable = kind?.unreadable ?? []
  const unreadable = [...series.unreadable, ...newUnreadable]
  let { expected, hasSeen } = series
  const gapBefore = (end: bigint, fromBlock: number): FollowedSeries => ({
    kind: 'gap',
    gap: { indexed, what, first: expected, last: end - 1n, fromBlock, toBlock: range.toBlock },
  })
  // The first expected record cannot be one of the unreadable logs if its time is known and none of them has that time.
  const firstIsReadable = series.expectedTime !== null && !unreadable.includes(series.expectedTime)
  for (const number of numbers) {
    if (number < expected && hasSeen) return { kind: 'uncounted' }
    const skippedMax = expected === series.expected && firstIsReadable ? 0 : unreadable.length
    if (number > expected + BigInt(skippedMax)) return gapBefore(number, series.sinceBlock)
    expected = number + 1n
    hasSeen = true
  }
  const last = numbers.length > 0 ? kind : undefined
  const expectedTime = last === undefined ? series.expectedTime : last.followingTime
  const sinceBlock = last === undefined ? series.sinceBlock : last.lastBlock
  const isOverdue = expectedTime !== null && expectedTime < range.lastTimestamp
  if (isOverdue && !unreadable.includes(expectedTime)) return gapBefore(expected + 1n, sinceBlock)
  const isLater = expectedTime !== null && expectedTime > range.lastTimestamp
  return {
    kind: 'followed',
    series: {
      ...series,
      expected,
      expectedTime,
      hasSeen,
      sinceBlock: isLater ? range.toBlock + 1 : sinceBlock,
      unreadable: last === undefined ? unreadable : newUnreadable,
    },
  }
}
