import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import type { FieldInfo } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import type { Condition, FieldValue } from '../condition.ts'
import { readHaving, readWhere } from './readWhere.ts'
import { fieldsOf, matches } from '../matchCondition.ts'
import { walkRows, wholeWalk, type EngineContext, type PlacedRow } from '../rowSource.ts'
import { sortRows } from '../sortRows.ts'
import type { Asked, PrismaShape } from './entity.ts'
import { readOrder, wholeList, type ListArguments } from './listArguments.ts'
import { listEntity, resolveRelations } from './listEntity.ts'

type Part = '_count' | '_avg' | '_sum' | '_min' | '_max'

/** Values by part and field; a field of a part without rows is null. */
type Aggregates = Readonly<Record<Part, Readonly<Record<string, FieldValue | null>>>>

/** The aggregates of the rows of a list. Only counts are known without reading the rows. */
export async function aggregateRows<Context extends EngineContext>(
  asked: Asked<Context>,
  list: ListArguments,
  info: FieldInfo,
): Promise<Aggregates> {
  const { entity, context } = asked
  const selected = aggregatedFields(entity, info)
  if (selected.size === 0 && list.take === null && list.skip === 0 && list.cursor === null)
    return countedAggregates(entity, await countRows(asked, list))
  const rows = await listEntity(asked, list, selected)
  return aggregatesOf(entity, rows, [...selected], (row, field) => entity.valueOf(context, row, field))
}

/** How many rows match. */
export async function countRows<Context extends EngineContext>(
  asked: Asked<Context>,
  { condition }: Pick<ListArguments, 'condition'>,
): Promise<number> {
  const { entity, context } = asked
  const resolved = await resolveRelations(asked, condition)
  const known = (await entity.count?.(context, resolved)) ?? null
  if (known !== null) return known
  let count = 0
  for await (const rows of walkRows(entity, context, wholeWalk(resolved))) count += rows.length
  return count
}

/**
 * The rows that match, in groups of equal values of the fields `by`. Without an order, the group with the newest row
 * comes first. With an order by counts or by the field, and no other aggregate, the index counts groups of one field.
 * @throws BadParameterError if a field is selected or ordered by that is not in `by`.
 */
export async function groupRows<Context extends EngineContext>(
  asked: Asked<Context>,
  values: ArgumentValues,
  info: FieldInfo,
): Promise<readonly object[]> {
  const { entity, dialect } = asked
  const by = values['by'] as readonly string[]
  const condition = readWhere(dialect, entity, values['where'])
  const orderBy = readOrder(values['orderBy'])
  const having = readHaving(entity, values['having'])
  const [take, skip] = [Number(values['take'] ?? 0), Number(values['skip'] ?? 0)]
  if (take < 0 || skip < 0) throw new BadParameterError('take and skip of groups are 0 or more.')
  const type = `${entity.name}GroupBy.`
  const chosen = [...(info.hints.below ?? [])].filter((name) => name.startsWith(type))
  const ordered = orderBy.map(({ field }) => field)
  for (const field of [...chosen.map((name) => name.slice(type.length)), ...ordered]) {
    if (by.includes(field) || field.startsWith('_')) continue
    throw new BadParameterError(`${field} differs within a group; add it to by, or leave it out.`)
  }
  const aggregated = aggregatedFields(entity, info)
  const compared = [...fieldsOf(having), ...ordered]
  const read = new Set([...by, ...aggregated, ...compared.map((field) => field.replace(/^_\w+\./, ''))])
  read.delete('_all')
  const isOfCounts = compared.every((field) => by.includes(field) || field.startsWith('_count.'))
  const isCounted = by.length === 1 && aggregated.size === 0 && isOfCounts && orderBy.length > 0
  // The index lists the largest groups first.
  const [key, ...others] = orderBy
  const isByCount =
    values['having'] == null && others.length === 0 && key?.isDescending === true && !by.includes(key.field)
  const wanted = isByCount && take > 0 ? skip + take : null
  const counted = isCounted ? await countGroups(asked, condition, by[0] ?? '', wanted) : null
  const groups = counted ?? (await readGroups(asked, condition, by, read))
  const valueOf = (group: GroupAggregates, field: string): FieldValue | null => {
    const [part = '', member] = field.split('.')
    const value = group[part]
    return (
      member === undefined ? value : (value as Readonly<Record<string, unknown>>)[member]
    ) as FieldValue | null
  }
  const kept = groups.filter((group) => matches(group, having, (each, field) => valueOf(each, field) ?? ''))
  return sortRows(kept, orderBy, valueOf).slice(skip, take === 0 ? undefined : skip + take)
}

type GroupAggregates = Aggregates & Readonly<Record<string, unknown>>

/** Groups that the index counts; null if the rows have to be read. */
async function countGroups<Context extends EngineContext>(
  asked: Asked<Context>,
  condition: Condition,
  field: string,
  wanted: number | null,
): Promise<readonly GroupAggregates[] | null> {
  const { entity, context } = asked
  const resolved = await resolveRelations(asked, condition)
  const groups = (await entity.countGroups?.(context, resolved, field, wanted)) ?? null
  return groups?.map(({ value, count }) => ({ ...countedAggregates(entity, count), [field]: value })) ?? null
}

/** Groups in the order of their newest rows. */
async function readGroups<Context extends EngineContext>(
  asked: Asked<Context>,
  condition: Condition,
  by: readonly string[],
  fields: ReadonlySet<string>,
): Promise<readonly GroupAggregates[]> {
  const { entity, context } = asked
  const valueOf = (row: PlacedRow, field: string) => entity.valueOf(context, row, field)
  const rows = await listEntity(asked, { ...wholeList, condition }, fields)
  const groups = Map.groupBy(rows, (row) => JSON.stringify(by.map((field) => valueOf(row, field))))
  return [...groups].map(([key, members]) => {
    const values = JSON.parse(key) as readonly FieldValue[]
    const own = Object.fromEntries(by.map((field, at) => [field, values[at]]))
    return { ...own, ...aggregatesOf(entity, members, [...fields], valueOf) }
  })
}

/** The fields below a selection of aggregates that are made of the rows' values. */
function aggregatedFields({ name: entity }: PrismaShape, { hints }: FieldInfo): Set<string> {
  const pattern = new RegExp(`^${entity}(?:Avg|Sum|Min|Max)Aggregate\\.(\\w+)$`)
  const names = [...(hints.below ?? [])].map((name) => pattern.exec(name)?.[1])
  return new Set(names.filter((name) => name !== undefined && name !== '__typename')) as Set<string>
}

/** Aggregates without values, of so many rows. */
function countedAggregates({ fields }: PrismaShape, count: number): Aggregates {
  // No field is ever null, so that all are counted alike.
  const names = ['_all', ...Object.keys(fields)]
  const _count = Object.fromEntries(names.map((name) => [name, count]))
  return { _count, _avg: {}, _sum: {}, _min: {}, _max: {} }
}

function aggregatesOf<Row>(
  shape: PrismaShape,
  rows: readonly Row[],
  fields: readonly string[],
  valueOf: (row: Row, field: string) => FieldValue,
): Aggregates {
  const counted = countedAggregates(shape, rows.length)
  const of = (aggregate: (values: readonly FieldValue[]) => FieldValue) =>
    Object.fromEntries(
      fields.map((field) => {
        const values = rows.map((row) => valueOf(row, field))
        return [field, values.length === 0 ? null : aggregate(values)]
      }),
    )
  const sum = (values: readonly FieldValue[]) => values.reduce<number>((all, value) => all + Number(value), 0)
  return {
    ...counted,
    _sum: of(sum),
    _avg: of((values) => sum(values) / values.length),
    _min: of((values) => values.reduce((least, value) => (value < least ? value : least))),
    _max: of((values) => values.reduce((most, value) => (value > most ? value : most))),
  }
}
