import type { RowPlace, Slice } from '../indexQueries.ts'
import type { WalkRange } from './rowWalk.ts'

/** A comparison of rows outside of the database. */
export interface RowCheck<Row> {
  readonly passes: (row: Row) => boolean
  /** What the comparison costs, in rows that are passed over. */
  readonly costOf: (row: Row) => number
  /** Rows that are compared at a time. */
  readonly rowsMax: number
}

/** What a slice is cut out of: rows under a key with conditions that the key knows nothing of. */
export interface SliceSource<Row> {
  /** Whether there are such conditions; without them no row is passed over in vain. */
  readonly hasCondition: boolean
  /** What the rows are compared with one by one beyond these; null for nothing. */
  readonly check: RowCheck<Row> | null
  /** At most `limit` rows of the range that fulfil the conditions. */
  readRows(range: WalkRange, limit: number): Promise<readonly (Row & { readonly place: RowPlace })[]>
  /** The place of the `count`-th row of the range, whatever the conditions say of it; null where there are fewer. */
  findBoundary(range: WalkRange, count: number): Promise<RowPlace | null>
}

/**
 * Rows are passed over at first a few times as many as are wanted, then more and more: most slices end soon, and those
 * that do not are walked in few steps.
 */
const firstStep = 4
const stepGrowth = 4

/** A slice of at most `limit` rows, for which at most `rowsMax` rows are passed over. */
export async function readSlice<Row>(
  source: SliceSource<Row>,
  range: WalkRange,
  limit: number,
  rowsMax: number,
): Promise<Slice<Row>> {
  const { check } = source
  if (!source.hasCondition && check === null) return cut(await source.readRows(range, limit + 1), limit)
  const rows: (Row & { readonly place: RowPlace })[] = []
  let { after } = range
  let passed = 0
  let step = firstStep * (limit + 1)
  while (passed < rowsMax) {
    const count = Math.min(step, rowsMax - passed, check?.rowsMax ?? Infinity)
    const upTo = await source.findBoundary({ ...range, after }, count)
    const found = await source.readRows(
      { ...range, after, upTo },
      check === null ? limit + 1 - rows.length : count,
    )
    for (const row of found) {
      if (check?.passes(row) !== false) rows.push(row)
      if (rows.length > limit) return cut(rows, limit)
      passed += check?.costOf(row) ?? 0
      if (passed >= rowsMax) return { rows, hasMore: true, scannedTo: row.place }
    }
    if (upTo === null) return cut(rows, limit)
    after = upTo
    passed += count
    step *= stepGrowth
  }
  return { rows, hasMore: true, scannedTo: after }
}

function cut<Row>(rows: readonly (Row & { readonly place: RowPlace })[], limit: number): Slice<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit, scannedTo: null }
}
