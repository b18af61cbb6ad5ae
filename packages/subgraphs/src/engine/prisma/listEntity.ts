import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { isOneOf, type Condition, type FieldValue } from '../condition.ts'
import { listRows } from '../listRows.ts'
import { fieldsOf } from '../matchCondition.ts'
import { walkRows, wholeWalk, type EngineContext, type PlacedRow } from '../rowSource.ts'
import { entityOf, type Asked } from './entity.ts'
import type { ListArguments } from './listArguments.ts'

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

/**
 * A condition without relations: each becomes the list of values that the related rows which match have in common with
 * rows of the entity. The related rows are read first, within the budget of the request.
 */
export async function resolveRelations<Context extends EngineContext>(
  { dialect, entity, context }: Asked<Context>,
  condition: Condition,
): Promise<Condition> {
  const resolve = async (part: Condition): Promise<Condition> => {
    switch (part.kind) {
      case 'field':
        return part
      case 'not':
        return { kind: 'not', of: await resolve(part.of) }
      case 'relation': {
        const relation = entity.relatedTo[part.relation]
        if (relation === undefined) throw new TypeError(`there is no relation ${part.relation}`)
        const related = { dialect, entity: entityOf(dialect, relation.entity), context }
        return isOneOf(relation.local, await collectValues(related, part.of, relation.foreign))
      }
      default: {
        const of: Condition[] = []
        for (const each of part.of) of.push(await resolve(each))
        return { kind: part.kind, of }
      }
    }
  }
  return await resolve(condition)
}

async function collectValues<Context extends EngineContext>(
  asked: Asked<Context>,
  condition: Condition,
  field: string,
): Promise<ReadonlySet<FieldValue>> {
  const { entity, context } = asked
  const values = new Set<FieldValue>()
  const walk = wholeWalk(await resolveRelations(asked, condition), [field])
  for await (const rows of walkRows(entity, context, walk)) {
    for (const row of rows) values.add(entity.valueOf(context, row, field))
  }
  return values
}
