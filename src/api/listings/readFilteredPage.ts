import { setImmediate as nextTurn } from 'node:timers/promises'
import { BadParameterError } from '../../errors/apiErrors.ts'
import type { RowPlace, Slice, SliceRequest } from '../../store/indexQueries.ts'
import type { Page, PageRequest } from '../../store/indexReader.ts'

/** A list of rows that pass a filter, with the store's functions to walk it. */
export interface FilteredList<Row> {
  count(): Promise<number>
  /** Rows that are passed over are read without their contents. */
  slice(request: Omit<SliceRequest<never>, 'filter'>, purpose: 'read' | 'passOver'): Promise<Slice<Row>>
  /** Where a client walks the list by cursor; the path of the request itself where it is left out. */
  readonly walkedAt?: string
}

/**
 * Most rows that a walk to a page passes over. The walk begins at the nearer end, so this many rows at either end of a
 * filtered list have pages; cursors reach the rest.
 */
export const passedOverMax = 10_000

/** The greatest number of rows that the store returns in one slice. */
const sliceMax = 1_000

/**
 * A page of a list without an index: its rows are counted, and walked from the nearer end. The total is the number at
 * the time of counting; rows that are indexed during the walk do not shift the page.
 * @throws BadParameterError for a page deeper than `passedOverMax` rows.
 * @throws StoreTooMuchWorkError
 */
export async function readFilteredPage<Row>(
  list: FilteredList<Row>,
  { page, size }: PageRequest,
): Promise<Page<Row>> {
  const total = await list.count()
  const before = (page - 1) * size
  if (before >= total) return { total, rows: [] }
  const limit = Math.min(size, total - before)
  const behind = total - before - limit
  const order = behind < before ? 'oldestFirst' : 'newestFirst'
  const passedOver = Math.min(before, behind)
  if (passedOver > passedOverMax) {
    throw new BadParameterError(
      `page must be within ${passedOverMax} rows of either end of a list with these filters; walk ${list.walkedAt ?? 'it'} by cursor=* instead.`,
      { facts: { parameter: 'page' } },
    )
  }
  const start = await passOver(list, order, passedOver)
  const rows = start === 'end' ? [] : await readRows(list, order, start, limit)
  return { total, rows: order === 'oldestFirst' ? rows.reverse() : rows }
}

/** The place behind the first `count` rows. */
async function passOver(
  list: FilteredList<unknown>,
  order: SliceRequest<never>['order'],
  count: number,
): Promise<RowPlace | null | 'end'> {
  let after: RowPlace | null = null
  let remaining = count
  while (remaining > 0) {
    const slice: Slice<unknown> = await list.slice(
      { order, after, limit: Math.min(remaining, sliceMax) },
      'passOver',
    )
    remaining -= slice.rows.length
    const reached = endOf(slice)
    if (reached === null || (remaining > 0 && !slice.hasMore)) return 'end'
    after = reached
    await nextTurn()
  }
  return after
}

async function readRows<Row>(
  list: FilteredList<Row>,
  order: SliceRequest<never>['order'],
  start: RowPlace | null,
  limit: number,
): Promise<Row[]> {
  const rows: Row[] = []
  let after = start
  for (;;) {
    const slice = await list.slice({ order, after, limit: limit - rows.length }, 'read')
    rows.push(...slice.rows)
    after = endOf(slice)
    if (rows.length >= limit || !slice.hasMore || after === null) return rows
    await nextTurn()
  }
}

/** The place at which the walk continues behind a slice; null if it made no progress. */
export function endOf(slice: Slice<unknown>): RowPlace | null {
  return slice.scannedTo ?? slice.rows.at(-1)?.place ?? null
}
