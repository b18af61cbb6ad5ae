import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import type { Resolve, TypeBehaviour } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { allOf, hasText, type Condition } from '../condition.ts'
import { listRows, type ListRequest } from '../listRows.ts'
import { findById, rootOf, type EngineContext } from '../rowSource.ts'
import {
  comparable,
  fieldBehaviours,
  type EntityShape,
  type GraphNodeDialect,
  type GraphNodeEntity,
  type ReadableDialect,
} from './entity.ts'
import { readWhere } from './readWhere.ts'

/** Rows of one page: as with graph-node 100 where the request does not say, and 1,000 at most. */
const firstDefault = 100
const firstMax = 1_000

/** A list in graph-node's form: of one order, from the beginning. */
export type EntityList = Omit<ListRequest<never>, 'cursor' | 'distinct' | 'selected'>

/**
 * The arguments of a list; null is as good as none. Without an order it is ascending by id, as graph-node's.
 * @throws BadParameterError as `readWhere`, and for arguments outside their range.
 */
export function readList(dialect: GraphNodeDialect, entity: EntityShape, values: ArgumentValues): EntityList {
  const { orderBy, orderDirection, where } = values
  const first = Number(values['first'] ?? firstDefault)
  const skip = Number(values['skip'] ?? 0)
  if (first < 1 || first > firstMax) {
    throw new BadParameterError(
      `first is ${first}; give 1 to ${firstMax}, and ask for more rows by ${dialect.further}.`,
    )
  }
  if (skip < 0) throw new BadParameterError(`skip is ${skip}; give 0 or more.`)
  const field = typeof orderBy === 'string' ? orderBy.replace('__', '.') : 'id'
  return {
    ...listBy(field, orderDirection === 'desc'),
    condition: readWhere(dialect, entity, where),
    take: first,
    skip,
  }
}

/** All rows by one field. */
export function listBy(field: string, isDescending: boolean): EntityList {
  return {
    condition: allOf(),
    orderBy: [{ field, isDescending }],
    ties: isDescending ? 'newestFirst' : 'oldestFirst',
    take: null,
    skip: 0,
  }
}

/** The row with an id; null if no row has it. */
export async function findRow<Row extends object, Context extends EngineContext>(
  entity: GraphNodeEntity<Row, Context>,
  context: Context,
  id: string,
): Promise<Row | null> {
  if (entity.find !== undefined) return await entity.find(context, id)
  return await findById(entity, context, comparable(entity.fields['id']?.kind ?? 'text', id))
}

/** A condition on related rows as one on the rows that have them. */
export function ofRelated(relation: string, condition: Condition): Condition {
  const renamed = (part: Condition): Condition => {
    switch (part.kind) {
      case 'field':
        return { ...part, field: part.field === 'id' ? relation : `${relation}.${part.field}` }
      case 'not':
        return { kind: 'not', of: renamed(part.of) }
      case 'relation':
        return part
      default:
        return { kind: part.kind, of: part.of.map(renamed) }
    }
  }
  return allOf(hasText(relation), renamed(condition))
}

type Ask<Context> = (context: Context) => Promise<unknown>

/** Asks the state that the argument `block` of a root names. */
type Within<Context> = (context: Context, block: unknown, ask: Ask<Context>) => Promise<unknown>

/**
 * The answers of a subgraph: the roots and the fields of all entities, and others.
 * @param others by type and field; they come before those of entities.
 */
export function dialectBehaviours<Context extends EngineContext>(
  dialect: ReadableDialect<Context>,
  within: Within<Context>,
  others: Readonly<Record<string, TypeBehaviour<never, Context>>>,
): Readonly<Record<string, TypeBehaviour<never, Context>>> {
  const entities = Object.values(dialect.entities)
  const roots = entities.map((entity) => rootsOf(dialect, entity, within))
  const types = entities.map(({ name, fields }): [string, TypeBehaviour<never, Context>] => [
    name,
    { ...fieldBehaviours(fields), ...others[name] },
  ])
  return {
    ...others,
    ...Object.fromEntries(types),
    Query: Object.assign({}, ...roots, others['Query']) as TypeBehaviour<unknown, Context>,
  }
}

/** The roots of an entity: one row by its id, and a list. */
function rootsOf<Context extends EngineContext>(
  dialect: GraphNodeDialect,
  entity: GraphNodeEntity<object, Context>,
  within: Within<Context>,
): Record<string, Resolve<unknown, Context>> {
  const root = rootOf(entity.name)
  return {
    [root]: (_root, { id, block }, context) =>
      within(context, block, (state) => findRow(entity, state, String(id))),
    [`${root}s`]: (_root, values, context) => {
      const list = readList(dialect, entity, values)
      return within(context, values['block'], (state) => listRows(entity, state, list))
    },
  }
}
