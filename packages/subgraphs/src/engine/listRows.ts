import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { Condition } from './condition.ts'
import { fieldsOf, matches, type ValueOf } from './matchCondition.ts'
import { openValues, walkRows, type EngineContext, type RowSource, type RowValues } from './rowSource.ts'
import { createSorter, sortRows, type OrderKey } from './sortRows.ts'
import type { WalkOrder } from './walkArms.ts'

/** A list in whatever style its arguments were written. */
export interface ListRequest<Row> {
  /** Its relations are resolved. */
  readonly condition: Condition
  /** Empty: the order of listings, newest first. */
  readonly orderBy: readonly OrderKey[]
  /** The order of rows that are equal in a sorted list, unless the source orders them by id. */
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
  const { condition, orderBy, take, skip, cursor = null, distinct = [], selected = [] } = list
  const fields = new Set([...selected, ...distinct, ...orderBy.map(({ field }) => field)])
  const values = openValues(source, context, [...fields, ...fieldsOf(condition)])
  const isFromEnd = take !== null && take < 0
  const count = take === null ? null : Math.abs(take)
  const isPage = count !== null && !isFromEnd && cursor === null && distinct.length === 0
  const asked = { list, fields, values, isFromEnd, isPage, count }
  const isWalked = ({ field }: OrderKey) => source.walkedFields.includes(field)
  const [first] = orderBy
  const hasOrder = orderBy.every(isWalked) || (isPage && first !== undefined && isWalked(first))
  const picker = createPicker(values.valueOf, distinct, skip, count)
  await (hasOrder ? walkList : sortList)(source, context, asked, picker)
  return isFromEnd ? picker.rows.reverse() : picker.rows
}

/** A list with what follows from it. */
interface AskedList<Row> {
  readonly list: ListRequest<Row>
  readonly fields: ReadonlySet<string>
  readonly values: RowValues<Row>
  readonly isFromEnd: boolean
  /** Whether the list ends after a number of rows from the beginning, and each row counts. */
  readonly isPage: boolean
  /** null: all rows. */
  readonly count: number | null
}

/** Picks rows of a list whose first key is an order of the source. */
async function walkList<Row extends object, Context extends EngineContext>(
  source: RowSource<Row, Context>,
  context: Context,
  { list, fields, values, isFromEnd, count }: AskedList<Row>,
  picker: Picker<Row>,
): Promise<void> {
  const { condition, orderBy, ties, skip, cursor = null, distinct = [] } = list
  const [first] = orderBy
  const order = (first?.isDescending ?? true) === isFromEnd ? 'oldestFirst' : 'newestFirst'
  const hasTies = orderBy.some(({ field }) => !source.walkedFields.includes(field))
  if (cursor !== null && matches(cursor.row, condition, values.valueOf)) picker.offer(cursor.row)
  if (picker.isFull()) return
  const canSkip = cursor === null && distinct.length === 0 && skip >= skipMin
  const skipping = { order, count: skip, wholeSeconds: hasTies } as const
  const skipped = canSkip ? ((await source.skipTo?.(context, condition, skipping)) ?? null) : null
  if (skipped?.place === null) return
  if (skipped !== null) picker.leave(skipped.left)
  const rowsAhead = (skipped?.left ?? skip) + (hasTies ? tiesExpected : 0)
  const walk = {
    condition,
    order,
    ...(first === undefined ? {} : { by: first.field }),
    after: skipped?.place ?? cursor?.place ?? null,
    fields,
    expected: count === null || distinct.length > 0 ? null : count + rowsAhead,
  } as const
  const walked = walkRows(source, context, walk, values)
  for await (const rows of hasTies ? sortTies(walked, orderBy, values.valueOf, order !== ties) : walked) {
    for (const row of rows) picker.offer(row)
    if (picker.isFull()) return
  }
}

/** Picks rows of a list whose rows, or a shortlist of them, have to be sorted. */
async function sortList<Row extends object, Context extends EngineContext>(
  source: RowSource<Row, Context>,
  context: Context,
  { list, fields, values, isFromEnd, isPage, count }: AskedList<Row>,
  picker: Picker<Row>,
): Promise<void> {
  const { condition, orderBy, ties, skip, cursor = null } = list
  const [first] = orderBy
  const enough = isPage ? skip + (count ?? 0) : Number.POSITIVE_INFINITY
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

type Picker<Row> = ReturnType<typeof createPicker<Row>>

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
    /** Only so many of the rows to come are skipped. */
    leave(count: number): void {
      left = count
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
