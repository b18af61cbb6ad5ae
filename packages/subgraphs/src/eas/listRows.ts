import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { fieldsOf, matches } from '../protocolGraphql/matchCondition.ts'
import type { EasContext } from './easContext.ts'
import { createSorter } from '../protocolGraphql/sortRows.ts'
import type { ListArguments } from './listArguments.ts'
import { shapeOf } from './models.ts'
import { resolveRelations } from './resolveRelations.ts'
import type { PlacedRow, RowSource } from './rowSource.ts'

/**
 * The rows of a list. Rows that the order leaves equal stand in the order of listings, newest first; without an order,
 * the whole list does.
 * @param selected the fields that the caller reads.
 */
export async function listRows<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  list: ListArguments,
  selected: ReadonlySet<string>,
): Promise<readonly Row[]> {
  const condition = await resolveRelations(context, source.model, list.condition)
  const { orderBy, take, skip, distinct } = list
  const fields = new Set([...selected, ...distinct, ...orderBy.map(({ field }) => field)])
  for (const { field } of orderBy) {
    if (shapeOf(source.model).fields[field] !== undefined || source.furtherOrders.includes(field)) continue
    throw new BadParameterError(
      `orderBy.${field} is no order that is kept here; order by a field of the record.`,
    )
  }
  const isFromEnd = take !== null && take < 0
  const count = take === null ? null : Math.abs(take)
  const picker = createPicker(source, context, distinct, skip, count)
  const isWalked = orderBy.every(({ field }) => source.walkedFields.includes(field))

  const cursor =
    list.cursor === null
      ? null
      : await source.find(context, list.cursor, new Set([...fields, ...fieldsOf(condition)]), true)
  if (list.cursor !== null && cursor === null) return []
  if (isWalked) {
    const isDescending = orderBy[0]?.isDescending ?? true
    const order = isDescending === isFromEnd ? 'oldestFirst' : 'newestFirst'
    const valueOf = (row: Row, field: string) => source.valueOf(context, row, field)
    if (cursor !== null && matches(cursor, condition, valueOf)) picker.offer(cursor)
    const expected = count === null || distinct.length > 0 ? null : count + skip
    const after = cursor?.place ?? null
    if (!picker.isFull()) {
      for await (const rows of source.walk(context, { condition, order, after, fields, expected })) {
        for (const row of rows) picker.offer(row)
        if (picker.isFull()) break
      }
    }
  } else {
    const isPage = count !== null && !isFromEnd && cursor === null && distinct.length === 0
    const enough = isPage ? skip + count : Number.POSITIVE_INFINITY
    const sorter = createSorter<Row>(orderBy, (row, field) => source.valueOf(context, row, field), enough)
    const walk = { condition, order: 'newestFirst', after: null, fields, expected: null } as const
    for await (const batch of source.walk(context, walk)) sorter.add(batch)
    const sorted = sorter.sorted()
    if (isFromEnd) sorted.reverse()
    const id = cursor === null ? null : source.valueOf(context, cursor, 'id')
    const start = id === null ? 0 : sorted.findIndex((row) => source.valueOf(context, row, 'id') === id)
    for (const row of start === -1 ? [] : sorted.slice(start)) picker.offer(row)
  }
  return isFromEnd ? picker.rows.reverse() : picker.rows
}

/** Takes the rows of a list out of rows in order. */
function createPicker<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
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
    offer(row: Row): void {
      if (isFull()) return
      if (distinct.length > 0) {
        const key = JSON.stringify(distinct.map((field) => source.valueOf(context, row, field)))
        if (seen.has(key)) return
        seen.add(key)
      }
      if (left > 0) left -= 1
      else rows.push(row)
    },
  }
}
