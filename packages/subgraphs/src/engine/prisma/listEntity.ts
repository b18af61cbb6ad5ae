import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { listRows } from '../listRows.ts'
import { fieldsOf } from '../matchCondition.ts'
import type { EngineContext, PlacedRow } from '../rowSource.ts'
import type { Asked } from './entity.ts'
import type { ListArguments } from './listArguments.ts'
import { resolveRelations } from './resolveRelations.ts'

/**
 * The rows of a list in Prisma's form. Rows that the order leaves equal stand in the order of listings, newest first.
 * @param selected the fields that the caller reads.
 */
export async function listEntity<Context extends EngineContext>(
  asked: Asked<Context>,
  list: ListArguments,
  selected: ReadonlySet<string>,
): Promise<readonly PlacedRow[]> {
  const { entity, context } = asked
  const { orderBy, distinct } = list
  for (const { field } of orderBy) {
    if (entity.fields[field] !== undefined || entity.furtherOrders?.includes(field) === true) continue
    throw new BadParameterError(
      `orderBy.${field} is no order that is kept here; order by a field of the record.`,
    )
  }
  const condition = await resolveRelations(asked, list.condition)
  const request = { ...list, condition, ties: 'newestFirst', selected } as const
  if (list.cursor === null) return await listRows(entity, context, { ...request, cursor: null })
  const needed = [...selected, ...distinct, ...orderBy.map(({ field }) => field), ...fieldsOf(condition)]
  const row = await entity.find(context, list.cursor, new Set(needed), true)
  return row === null
    ? []
    : await listRows(entity, context, { ...request, cursor: { row, place: row.place } })
}
