import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { Condition } from './condition.ts'
import { fieldsOf, matches, type ValueOf } from './matchCondition.ts'
import { openValues, walkRows, type EngineContext, type RowSource } from './rowSource.ts'
import { createSorter, sortRows, type OrderKey } from './sortRows.ts'
import type { WalkOrder } from './walkArms.ts'

/** A list in whatever style its arguments were written. */
export interface ListRequest<Row> {
  /** Its relations are resolved. */
  readonly condition: Condition
  /** Empty: the order of listings, newest first. */
  readonly orderBy: readonly OrderKey[]
  /** How rows stand that a sorted list leaves equal, where the source does not order them by id. */
  readonly ties: WalkOrder
  /** null: all rows. Below 0: that many from the end. */
  readonly take: number | null
  readonly skip: number
  /** The row to begin with. */
  readonly cursor?: { readonly row: Row; readonly place: RowPlace } | null
  /** The first row of each combination of these fields counts. */
  readonly distinct?: readonly string[]
  /** The fields that the caller reads. */
  readonly selected?: ReadonlySet<string>
}

/** The rows of a list: walked in the order of an index where there is one, and sorted otherwise. */
export async function listRows<Row extends object, Context extends EngineContext>(
  source: RowSource<Row, Context>,
  context: Context,
  list: ListRequest<Row>,
): Promise<readonly Row[]> {
  const { condition, orderBy, ties, take, skip, cursor = null, distinct = [], selected = [] } = list
  const [first] = orderBy
  const fields = new Set([...selected, ...distinct, ...orderBy.map(({ field }) => field)])
  const values = openValues(source, context, [...fields, ...fieldsOf(condition)])
  const isFromEnd = take !== null && take < 0
  const count = take === null ? null : Math.abs(take)
  const isPage = count !== null && !isFromEnd && cursor === null && distinct.length === 0
  const isWalked = orderBy.every(({ field }) => source.walkedFields.includes(field))
  const isWalkedByFirst = isPage && first !== undefined && source.walkedFields.includes(first.field)
  const picker = createPicker(values.valueOf, distinct, skip, count)
  if (isWalked || isWalkedByFirst) {
    const order = (first?.isDescending ?? true) === isFromEnd ? 'oldestFirst' : 'newestFirst'
    if (cursor !== null && matches(cursor.row, condition, values.valueOf)) picker.offer(cursor.row)
    const canSkip = isWalked && cursor === null && distinct.length === 0 && skip >= skipMin
    const skipped = canSkip ? ((await source.skipTo?.(context, condition, order, skip)) ?? null) : null
    if (skipped?.place === null) return []
    if (skipped !== null) picker.skipped()
    const after = skipped?.place ?? cursor?.place ?? null
    const rowsAhead = (skipped === null ? skip : 0) + (isWalked ? 0 : tiesExpected)
    const expected = count === null || distinct.length > 0 ? null : count + rowsAhead
    const by = first === undefined ? {} : { by: first.field }
    const walk = { condition, order, ...by, after, fields, expected } as const
    if (!picker.isFull()) {
      const walked = walkRows(source, context, walk, values)
      const batches = isWalked ? walked : sortTies(walked, orderBy, values.valueOf, order !== ties)
      for await (const rows of batches) {
        for (const row of rows) picker.offer(row)
        if (picker.isFull()) break
      }
    }
  } else {
    const enough = isPage ? skip + count : Number.POSITIVE_INFINITY
    const byId = source.ties === 'id' ? [{ field: 'id', isDescending: first?.isDescending ?? false }] : []
    const sorter = createSorter<Row>([...orderBy, ...byId], values.valueOf, enough)
    const shortlist =
      isPage && first !== undefined ? await source.shortlist?.(context, condition, first, enough) : null
    const walk = { condition, order: ties, after: null, fields, expected: null } as const
    if (shortlist != null) sorter.add(shortlist)
    else for await (const rows of walkRows(source, context, walk, values)) sorter.add(rows)
    const sorted = sorter.sorted()
    if (isFromEnd) sorted.reverse()
    const idOf = (row: Row) => values.valueOf(row, 'id')
    const start = cursor === null ? 0 : sorted.findIndex((row) => idOf(row) === idOf(cursor.row))
    for (const row of start === -1 ? [] : sorted.slice(start)) picker.offer(row)
  }
  return isFromEnd ? picker.rows.reverse() : picker.rows
}

/** Rows that share the first key of the last row of a page; with more, a further batch is read. */
const tiesExpected = 100

/** Rows to skip that are worth looking for their end. */
const skipMin = 100

/**
 * Rows that come in the order of their first key, with those of an equal first key in the order of the other keys.
 * @param isReversed whether rows that are equal in all keys stand the other way round than they come.
 */
async function* sortTies<Row>(
  batches: AsyncIterable<readonly Row[]>,
  orderBy: readonly OrderKey[],
  valueOf: ValueOf<Row>,
  isReversed: boolean,
): AsyncGenerator<readonly Row[]> {
  const field = orderBy[0]?.field ?? ''
  let tied: Row[] = []
  const sorted = () => sortRows(isReversed ? tied.toReversed() : tied, orderBy, valueOf)
  for await (const rows of batches) {
    for (const row of rows) {
      const [last] = tied
      if (last !== undefined && valueOf(last, field) !== valueOf(row, field)) {
        yield sorted()
        tied = []
      }
      tied.push(row)
    }
  }
  yield sorted()
}

/** Takes the rows of a list out of rows in order. */
function createPicker<Row>(
  valueOf: ValueOf<Row>,
  distinct: readonly string[],
  skip: number,
  count: number | null,
) {
  const rows: Row[] = []
  const seen = new Set<string>()
  let left = skip
  const isFull = () => count !== null && rows.length >= count
  return {
    rows,
    isFull,
    /** The rows to skip are not among those to come. */
    skipped(): void {
      left = 0
    },
    offer(row: Row): void {
      if (isFull()) return
      if (distinct.length > 0) {
        const key = JSON.stringify(distinct.map((field) => valueOf(row, field)))
        if (seen.has(key)) return
        seen.add(key)
      }
      if (left > 0) left -= 1
      else rows.push(row)
    },
  }
}
