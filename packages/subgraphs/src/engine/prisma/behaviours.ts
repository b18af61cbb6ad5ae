import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import type {
  FieldBehaviour,
  FieldInfo,
  TypeBehaviour,
} from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { allOf, isOneOf, type FieldValue } from '../condition.ts'
import { rootOf, type EngineContext, type PlacedRow } from '../rowSource.ts'
import { aggregateRows, countRows, groupRows } from './aggregateRows.ts'
import { entityOf, selectionOf, type PrismaDialect, type PrismaEntity } from './entity.ts'
import { readListArguments, readUniqueId, type ListArguments } from './listArguments.ts'
import { listEntity } from './listEntity.ts'

type Behaviour<Source, Context> = FieldBehaviour<Source, Context>

/** The roots of all entities. */
export function rootBehaviours<Context extends EngineContext>(
  dialect: PrismaDialect<Context>,
): TypeBehaviour<unknown, Context> {
  return Object.assign(
    {},
    ...Object.values(dialect).map((entity) => rootsOf(dialect, entity)),
  ) as TypeBehaviour<unknown, Context>
}

function rootsOf<Context extends EngineContext>(
  dialect: PrismaDialect<Context>,
  entity: PrismaEntity<PlacedRow, Context>,
): Record<string, Behaviour<unknown, Context>> {
  const { name, many, takeDefault = null } = entity
  const selected = selectionOf(entity)
  const nodeOf = (row: PlacedRow) => entity.nodeOf?.(row) ?? row
  const unique: Behaviour<unknown, Context> = async (_root, values, context, info) => {
    const row = await entity.find(context, readUniqueId(values), selected(info), false)
    return row === null ? null : nodeOf(row)
  }
  const list = async (asked: ListArguments, context: Context, info: FieldInfo) =>
    (await listEntity({ dialect, entity, context }, asked, selected(info))).map(nodeOf)
  const findFirst = async (values: ArgumentValues, context: Context, info: FieldInfo) => {
    const take = Number(values['take'] ?? 1) < 0 ? -1 : 1
    const [node] = await list(readListArguments(dialect, entity, { ...values, take }), context, info)
    return node ?? null
  }
  return {
    [rootOf(name)]: unique,
    [`get${name}`]: unique,
    [many]: (_root, values, context, info) =>
      list(readListArguments(dialect, entity, values, takeDefault), context, info),
    [`findFirst${name}`]: (_root, values, context, info) => findFirst(values, context, info),
    [`findFirst${name}OrThrow`]: async (_root, values, context, info) => {
      const found = await findFirst(values, context, info)
      if (found !== null) return found
      throw new BadParameterError(`No ${name} matches where; findFirst${name} answers null then.`)
    },
    [`aggregate${name}`]: (_root, values, context, info) =>
      aggregateRows({ dialect, entity, context }, readListArguments(dialect, entity, values), info),
    [`groupBy${name}`]: (_root, values, context, info) =>
      groupRows({ dialect, entity, context }, values, info),
  }
}

/** The scalar fields of rows that need nothing further. */
export function plainFields<Row extends PlacedRow, Context extends EngineContext>(
  entity: PrismaEntity<Row, Context>,
): TypeBehaviour<Row, Context> {
  return Object.fromEntries(
    Object.keys(entity.fields).map((field): [string, Behaviour<Row, Context>] => [
      field,
      (row, _values, context) => entity.valueOf(context, row, field),
    ]),
  )
}

/**
 * A list of rows that a node is related to, and their number.
 * @param localOf what the rows have in the field that the relation names.
 */
export function relatedList<Node, Context extends EngineContext>(
  dialect: PrismaDialect<Context>,
  { relatedTo }: Pick<PrismaEntity<PlacedRow, Context>, 'relatedTo'>,
  relation: string,
  localOf: (node: Node) => FieldValue,
): { readonly list: Resolver<Node, Context>; readonly count: Resolver<Node, Context> } {
  const { entity: name, foreign } = relatedTo[relation] ?? { entity: relation, foreign: '' }
  const entity = entityOf(dialect, name)
  const selected = selectionOf(entity)
  const listOf = (node: Node, values: ArgumentValues): ListArguments => {
    const list = readListArguments(dialect, entity, values)
    return { ...list, condition: allOf(isOneOf(foreign, [localOf(node)]), list.condition) }
  }
  return {
    list: (node, values, context, info) =>
      listEntity({ dialect, entity, context }, listOf(node, values), selected(info)),
    count: (node, values, context) => countRows({ dialect, entity, context }, listOf(node, values)),
  }
}

type Resolver<Node, Context> = (
  node: Node,
  values: ArgumentValues,
  context: Context,
  info: FieldInfo,
) => Promise<unknown>
