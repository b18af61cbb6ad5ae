import type { Slice, SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { Reads, SqlRow } from '../port/reads.ts'
import { checkedRowsMax, type PayloadCheck } from './payloadCheck.ts'
import {
  beginRange,
  findBoundary,
  isBare,
  readWalk,
  type Walk,
  type WalkedRows,
  type WalkRange,
} from './rowWalk.ts'

/** The source of a slice: the rows of a walk. */
export interface SliceSource<Row> {
  readonly walk: Walk
  /** The check of each row beyond the walk's conditions; null for no check. */
  readonly check: PayloadCheck<Row> | null
  /** At most `limit` rows of the range that fulfil the conditions, in the order of the walk. */
  readRows(range: WalkRange, limit: number): Promise<readonly PlacedRow<Row>[]>
}

type PlacedRow<Row> = Row & { readonly place: RowPlace }

/**
 * Rows are passed over at first a few times as many as are wanted, then more and more: most slices end soon, and those
 * that do not are walked in few steps.
 */
const firstStep = 4
const stepGrowth = 4

/**
 * A slice of at most `limit` rows after the beginning of a range, for which at most `rowsMax` rows are passed over.
 */
export async function readSlice<Row>(
  reads: Reads,
  { walk, check, readRows }: SliceSource<Row>,
  beginning: Omit<WalkRange, 'upTo'>,
  limit: number,
  rowsMax: number,
): Promise<Slice<Row>> {
  const range = beginRange(beginning)
  // No row is passed over in vain.
  if (isBare(walk) && check === null) return cut(await readRows(range, limit + 1), limit)
  const rows: PlacedRow<Row>[] = []
  let { after } = range
  let passed = 0
  let step = firstStep * (limit + 1)
  while (passed < rowsMax) {
    const count = Math.min(step, rowsMax - passed, check === null ? Infinity : checkedRowsMax)
    const upTo = await findBoundary(reads, walk, { ...range, after }, count)
    const wanted = check === null ? limit + 1 - rows.length : count
    const found = await readRows({ ...range, after, upTo }, wanted)
    for (const [index, row] of found.entries()) {
      if (check?.isUnread?.(row) === true) {
        return { rows, hasMore: true, scannedTo: found[index - 1]?.place ?? after }
      }
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

/** A slice of a walk whose conditions say all; `presentRow` makes what is answered of a row that `rows` reads. */
export function sliceWalk<Row extends SqlRow, Item extends { readonly place: RowPlace }>(
  reads: Reads,
  walk: Walk,
  rows: WalkedRows,
  presentRow: (row: Row) => Item,
  { from = null, before = null, ...request }: Omit<SliceRequest<never>, 'filter'> & Partial<WalkRange>,
  rowsMax: number,
): Promise<Slice<Item>> {
  const readRows = async (range: WalkRange, limit: number) =>
    (await readWalk<Row>(reads, walk, range, { limit, skip: 0 }, rows)).map(presentRow)
  const { order, after, limit } = request
  return readSlice<Item>(
    reads,
    { walk, check: null, readRows },
    { order, after, from, before },
    limit,
    rowsMax,
  )
}

function cut<Row>(rows: readonly PlacedRow<Row>[], limit: number): Slice<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit, scannedTo: null }
}

/** One slice of the rows of several, which begin at the same place and share no row. */
export function mergeSlices<Row>(
  slices: readonly Slice<Row>[],
  { order, limit }: Pick<SliceRequest<never>, 'order' | 'limit'>,
): Slice<Row> {
  const [only, ...others] = slices
  if (only !== undefined && others.length === 0) return only
  const compare = (a: RowPlace, b: RowPlace) => {
    const ascending = a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
    return order === 'newestFirst' ? -ascending : ascending
  }
  // Behind the place that one slice has reached, its rows are missing.
  const [reached] = slices
    .filter(({ hasMore }) => hasMore)
    .flatMap(({ rows, scannedTo }) => scannedTo ?? rows.at(-1)?.place ?? [])
    .sort(compare)
  const rows = slices
    .flatMap((slice) => slice.rows)
    .filter(({ place }) => reached === undefined || compare(place, reached) <= 0)
    .sort((a, b) => compare(a.place, b.place))
  if (rows.length > limit) return { rows: rows.slice(0, limit), hasMore: true, scannedTo: null }
  return { rows, hasMore: reached !== undefined, scannedTo: reached ?? null }
}
