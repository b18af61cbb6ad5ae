import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import {
  endOf,
  type Page,
  type PageRequest,
  passedOverMax,
  type Slice,
  type SliceRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'

/** A list of rows that pass a filter. */
export interface FilteredList<Row> {
  count(): Promise<number>
  /** Rows that are passed over are read without their contents. */
  slice(request: Omit<SliceRequest<never>, 'filter'>, purpose: 'read' | 'passOver'): Promise<Slice<Row>>
  /** The place of the `count`-th row, from 1, if no row has to be read for it; null otherwise. */
  findPlace?(order: SliceRequest<never>['order'], count: number): Promise<RowPlace | 'end' | null>
  /** Resolves after other reads may have gone on; null if none waits for this one. */
  readonly turn: (() => Promise<void>) | null
}

/** The greatest number of rows that the store returns in one slice. */
const sliceMax = 1_000

/** The greatest number of entries of an index that are passed over at once: some 40 ms of SQLite. */
const entriesMax = 500_000

/**
 * A page of a list without a rank tree: its rows are counted, and walked from the nearer end, so that `passedOverMax`
 * rows at either end have pages. If no row has to be read on the way, `entriesMax` rows have. The total is the number at the time of counting; rows that are indexed during the walk
 * do not shift the page.
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
  const isNear = passedOver > 0 && passedOver <= entriesMax
  const place = isNear ? ((await list.findPlace?.(order, passedOver)) ?? null) : null
  if (place === null && passedOver > passedOverMax) {
    throw new StoreTooMuchWorkError('a page lies too far from both ends of its list', {
      facts: { passedOverMax },
    })
  }
  const start = place ?? (await passOver(list, order, passedOver))
  const rows = start === 'end' ? [] : await readRows(list, order, start, limit)
  return { total, rows: order === 'oldestFirst' ? rows.reverse() : rows }
}

/** The place after the first `count` rows. */
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
    await list.turn?.()
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
    await list.turn?.()
  }
}
