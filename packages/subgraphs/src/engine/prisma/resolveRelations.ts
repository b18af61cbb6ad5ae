import { isOneOf, type Condition, type FieldValue } from '../condition.ts'
import { walkRows, wholeWalk, type EngineContext } from '../rowSource.ts'
import { entityOf, type Asked } from './entity.ts'

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
