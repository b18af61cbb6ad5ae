import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import type { FieldInfo } from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { readHaving } from './readWhere.ts'
import { fieldsOf, matches } from '../protocolGraphql/matchCondition.ts'
import type { EasContext } from './easContext.ts'
import { readListArguments, readOrder, type ListArguments } from './listArguments.ts'
import { listRows } from './listRows.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import { shapeOf, type ModelName } from './models.ts'
import { resolveRelations } from './resolveRelations.ts'
import type { PlacedRow, RowSource } from './rowSource.ts'

type Part = '_count' | '_avg' | '_sum' | '_min' | '_max'

/** Values by part and field; a field of a part without rows is null. */
type Aggregates = Readonly<Record<Part, Readonly<Record<string, FieldValue | null>>>>

/** The aggregates of the rows of a list. Only counts are known without reading the rows. */
export async function aggregateRows<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  list: ListArguments,
  info: FieldInfo,
): Promise<Aggregates> {
  const selected = selectedFields(source.model, info)
  const isWhole = list.take === null && list.skip === 0 && list.cursor === null
  if (selected.size === 0 && isWhole) {
    const count = await countRows(source, context, list)
    return { ...aggregatesOf([], source.model, [], () => 0), _count: countsOf(source.model, count) }
  }
  const rows = await listRows(source, context, list, selected)
  return aggregatesOf(rows, source.model, [...selected], (row, field) => source.valueOf(context, row, field))
}

/** How many rows match. */
export async function countRows<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  { condition }: Pick<ListArguments, 'condition'>,
): Promise<number> {
  const resolved = await resolveRelations(context, source.model, condition)
  const known = await source.count(context, resolved)
  if (known !== null) return known
  let count = 0
  const request = {
    condition: resolved,
    order: 'newestFirst',
    after: null,
    fields: noFields,
    expected: null,
  } as const
  for await (const rows of source.walk(context, request)) count += rows.length
  return count
}

const noFields: ReadonlySet<string> = new Set()

interface Group<Row> {
  readonly values: Readonly<Record<string, FieldValue>>
  readonly rows: Row[]
}

/**
 * The rows that match, in groups of equal values of the fields `by`. Without an order, the group with the newest row
 * comes first. With an order by counts or by the field, and no other aggregate, the index counts groups of one field.
 * @throws BadParameterError where a field is selected or ordered by that is not in `by`.
 */
export async function groupRows<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  values: ArgumentValues,
  info: FieldInfo,
): Promise<readonly object[]> {
  const { model } = source
  const by = values['by'] as readonly string[]
  const list = readListArguments(model, { where: values['where'] }, null)
  const orderBy = readOrder(values['orderBy'])
  const having = readHaving(model, values['having'])
  const [take, skip] = [Number(values['take'] ?? 0), Number(values['skip'] ?? 0)]
  if (take < 0 || skip < 0) throw new BadParameterError('take and skip of groups are 0 or more.')
  const chosen = [...(info.hints.below ?? [])].filter((name) => name.startsWith(`${model}GroupBy.`))
  for (const field of [
    ...chosen.map((name) => name.slice(model.length + 8)),
    ...orderBy.map((key) => key.field),
  ]) {
    const isOfGroup = by.includes(field) || field.startsWith('_')
    if (!isOfGroup)
      throw new BadParameterError(`${field} differs within a group; add it to by, or leave it out.`)
  }
  const needed = [...selectedFields(model, info), ...fieldsOf(having), ...orderBy.map(({ field }) => field)]
  const read = new Set(
    [...by, ...needed.map((field) => field.replace(/^_\w+\./, ''))].filter((field) => field !== '_all'),
  )
  const aggregated = selectedFields(model, info)
  const isOfCounts = [...fieldsOf(having), ...orderBy.map(({ field }) => field)].every(
    (field) => by.includes(field) || field.startsWith('_count.'),
  )
  const isCounted = by.length === 1 && aggregated.size === 0 && isOfCounts && orderBy.length > 0
  // The index lists the largest groups first.
  const isByCount =
    values['having'] == null &&
    orderBy.length === 1 &&
    orderBy[0]?.isDescending === true &&
    !by.includes(orderBy[0].field)
  const wanted = isByCount && take > 0 ? skip + take : null
  const counted = isCounted ? await countGroups(source, context, list, by[0] ?? '', wanted) : null
  const summed = counted ?? (await readGroups(source, context, list, by, read))
  const valueOf = (group: (typeof summed)[number], field: string): FieldValue | null => {
    const [part = '', member] = field.split('.')
    const value = (group as Readonly<Record<string, unknown>>)[part]
    return (
      member === undefined ? value : (value as Readonly<Record<string, unknown>>)[member]
    ) as FieldValue | null
  }
  const kept = summed.filter((group) => matches(group, having, (each, field) => valueOf(each, field) ?? ''))
  return sortRows(kept, orderBy, valueOf).slice(skip, take === 0 ? undefined : skip + take)
}

type GroupAggregates = Aggregates & Readonly<Record<string, unknown>>

/** Groups that the index counts; null where the rows have to be read. */
async function countGroups<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  { condition }: ListArguments,
  field: string,
  wanted: number | null,
): Promise<readonly GroupAggregates[] | null> {
  const resolved = await resolveRelations(context, source.model, condition)
  const groups = (await source.countGroups?.(context, resolved, field, wanted)) ?? null
  const aggregates = aggregatesOf([], source.model, [], () => 0)
  return (
    groups?.map(({ value, count }) => ({
      ...aggregates,
      [field]: value,
      _count: countsOf(source.model, count),
    })) ?? null
  )
}

/** Groups in the order of their newest rows. */
async function readGroups<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  list: ListArguments,
  by: readonly string[],
  fields: ReadonlySet<string>,
): Promise<readonly GroupAggregates[]> {
  const groups = new Map<string, Group<Row>>()
  for (const row of await listRows(source, context, list, fields)) {
    const own = by.map((field) => source.valueOf(context, row, field))
    const key = JSON.stringify(own)
    const group = groups.get(key) ?? {
      values: Object.fromEntries(by.map((field, at) => [field, own[at] ?? ''])),
      rows: [],
    }
    group.rows.push(row)
    groups.set(key, group)
  }
  return [...groups.values()].map((group) => ({
    ...group.values,
    ...aggregatesOf(group.rows, source.model, [...fields], (row, field) =>
      source.valueOf(context, row, field),
    ),
  }))
}

/** The fields below a selection of aggregates that are made of the rows' values. */
function selectedFields(model: ModelName, { hints }: FieldInfo): Set<string> {
  const pattern = new RegExp(`^${model}(?:Avg|Sum|Min|Max)Aggregate\\.(\\w+)$`)
  const names = [...(hints.below ?? [])].map((name) => pattern.exec(name)?.[1])
  return new Set(names.filter((name) => name !== undefined && name !== '__typename')) as Set<string>
}

function countsOf(model: ModelName, count: number): Readonly<Record<string, number>> {
  // No field is ever null, so that all are counted alike.
  const names = ['_all', ...Object.keys(shapeOf(model).fields)]
  return Object.fromEntries(names.map((name) => [name, count]))
}

function aggregatesOf<Row>(
  rows: readonly Row[],
  model: ModelName,
  fields: readonly string[],
  valueOf: (row: Row, field: string) => FieldValue,
): Aggregates {
  const parts: Record<Exclude<Part, '_count'>, Record<string, FieldValue | null>> = {
    _avg: {},
    _sum: {},
    _min: {},
    _max: {},
  }
  for (const field of fields) {
    const values = rows.map((row) => valueOf(row, field))
    const sum = values.reduce<number>((total, value) => total + Number(value), 0)
    const isEmpty = values.length === 0
    parts._sum[field] = isEmpty ? null : sum
    parts._avg[field] = isEmpty ? null : sum / values.length
    parts._min[field] = isEmpty ? null : values.reduce((least, value) => (value < least ? value : least))
    parts._max[field] = isEmpty ? null : values.reduce((most, value) => (value > most ? value : most))
  }
  return { ...parts, _count: countsOf(model, rows.length) }
}
