import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { Budget } from './budget.ts'
import { isEverything, isOneOf, type Condition, type FieldValue } from './condition.ts'
import { createMatcher, fieldsOf, type ValueOf } from './matchCondition.ts'
import type { OrderKey } from './sortRows.ts'
import type { WalkOrder } from './walkArms.ts'

/** The parts of a request that the engine needs. */
export interface EngineContext {
  readonly budget: Budget
}

/** A row with its place in the order of listings. */
export interface PlacedRow {
  readonly place: RowPlace
}

/** The rows of a list to skip. */
export interface Skip {
  readonly order: WalkOrder
  readonly count: number
  /** Whether the walk has to begin with all rows of a second. */
  readonly wholeSeconds: boolean
}

/** The beginning of a walk that skips rows. */
export interface SkippedTo {
  /** The walk begins after it; null: there are fewer rows. */
  readonly place: RowPlace | null
  /** Rows to skip after it. */
  readonly left: number
}

export interface WalkRequest {
  /** Its relations are resolved. */
  readonly condition: Condition
  readonly order: WalkOrder
  /** The walked field whose order is meant; the first one where it is left out. */
  readonly by?: string
  /** Only rows after this place; null: from the beginning. */
  readonly after: RowPlace | null
  /** The fields that the caller reads of the rows, beside those of the condition. */
  readonly fields: ReadonlySet<string>
  /** About how many rows the caller takes; null: all. */
  readonly expected: number | null
}

/** Rows that a source begins to read. */
export interface OpenedRows<Row> {
  /** The part of the condition that is still tested on each row; by default all of it. */
  readonly rest?: Condition
  /** The rows in the order of the request, in batches, with what the needed fields are made of. */
  read(needed: ReadonlySet<string>): AsyncIterable<readonly Row[]>
}

/** Groups by the values of one field, each with its number of rows. */
export type CountedGroups = readonly { readonly value: FieldValue; readonly count: number }[]

/** Rows that belong to those of a source. Conditions and orders name their fields `<relation>.<field>`. */
export interface Relation<Row, Context> {
  /** The values of the related rows, in the order of the rows; null: a row has none. */
  load(context: Context, rows: readonly Row[]): Promise<readonly (((field: string) => FieldValue) | null)[]>
  /** Whether the name of the relation is the id of the related row, which the row itself does not know. */
  readonly tellsId?: boolean
  /** Whether rows without a related row are left out: the relation is never null. */
  readonly isRequired?: boolean
}

/** The rows of one entity of a dialect: what the engine lists, sorts, pages, counts and groups. */
export interface RowSource<Row extends object, Context extends EngineContext> {
  /** The name of the entity, which is that of its GraphQL type. */
  readonly name: string
  /** The fields by which rows can be walked in order. */
  readonly walkedFields: readonly string[]
  /** The order of rows that are equal in a sorted list: by id, or by default by their place in the walk. */
  readonly ties?: 'id'
  /** Relations whose rows are read where a condition or an order names them. */
  readonly relations?: Readonly<Record<string, Relation<Row, Context>>>
  /** Plans how rows are read among which are all that match. */
  open(context: Context, request: WalkRequest): Promise<OpenedRows<Row>>
  /** The value of a field, as conditions and orders compare it. */
  valueOf(context: Context, row: Row, field: string): FieldValue
  /**
   * Finds where a walk begins that skips the first rows that match; null if the index cannot do so without reading
   * them.
   */
  skipTo?(context: Context, condition: Condition, skip: Skip): Promise<SkippedTo | null>
  /**
   * Rows that match, among which are the first `enough` ones of an order by one field; null if all rows have to be
   * read for them.
   */
  shortlist?(
    context: Context,
    condition: Condition,
    key: OrderKey,
    enough: number,
  ): Promise<readonly Row[] | null>
}

/** The value that stands for null, also for each field of a related row that does not exist. */
export const nullValue = ''

/** The values of rows together with those of related rows, of which none is read that the fields do not name. */
export interface RowValues<Row> {
  /**
   * Must have been called with a row before its values are asked for.
   * @returns the rows that have all required relations.
   */
  readonly load: (rows: readonly Row[]) => Promise<readonly Row[]>
  readonly valueOf: ValueOf<Row>
}

/** @param fields those that will be asked for. */
export function openValues<Row extends object, Context extends EngineContext>(
  source: RowSource<Row, Context>,
  context: Context,
  fields: readonly string[],
): RowValues<Row> {
  const { relations = {} } = source
  const used = Object.entries(relations).filter(
    ([name, { tellsId = false, isRequired = false }]) =>
      isRequired || fields.some((field) => field.startsWith(`${name}.`) || (tellsId && field === name)),
  )
  const found = new Map(used.map(([name]) => [name, new WeakMap<Row, (field: string) => FieldValue>()]))
  return {
    load: async (rows) => {
      let left = rows
      for (const [name, relation] of used) {
        const related = await relation.load(context, rows)
        for (const [index, row] of rows.entries()) {
          const valueOf = related[index]
          if (valueOf != null) found.get(name)?.set(row, valueOf)
        }
        if (relation.isRequired === true) left = left.filter((row) => found.get(name)?.has(row))
      }
      return left
    },
    valueOf: (row, field) => {
      const [name = '', ...rest] = field.split('.')
      const relation = relations[name]
      if (relation === undefined || (rest.length === 0 && relation.tellsId !== true))
        return source.valueOf(context, row, field)
      return found.get(name)?.get(row)?.(rest.join('.') || 'id') ?? nullValue
    },
  }
}

/** The rows that match, in batches. */
export async function* walkRows<Row extends object, Context extends EngineContext>(
  source: RowSource<Row, Context>,
  context: Context,
  request: WalkRequest,
  given?: RowValues<Row>,
): AsyncGenerator<readonly Row[]> {
  const { condition, fields } = request
  const { budget } = context
  const asked = fieldsOf(condition)
  const values = given ?? openValues(source, context, [...fields, ...asked])
  const { rest = condition, read } = await source.open(context, request)
  const isMatch = createMatcher(rest, values.valueOf, budget.compare)
  for await (const batch of read(new Set([...fields, ...fieldsOf(rest)]))) {
    const rows = await values.load(batch)
    yield isEverything(rest) ? rows : await budget.filter(rows, isMatch)
  }
}

/** The root for one row of an entity. */
export function rootOf(entity: string): string {
  return `${entity.charAt(0).toLowerCase()}${entity.slice(1)}`
}

/** The request for all rows that match. */
export function wholeWalk(condition: Condition, fields: Iterable<string> = []): WalkRequest {
  return { condition, order: 'newestFirst', after: null, fields: new Set(fields), expected: null }
}

/** The row with a value in the field `id`; null if no row has it. */
export async function findById<Row extends object, Context extends EngineContext>(
  source: RowSource<Row, Context>,
  context: Context,
  id: FieldValue,
): Promise<Row | null> {
  const walk = { ...wholeWalk(isOneOf('id', [id])), expected: 1 }
  for await (const [row] of walkRows(source, context, walk)) if (row !== undefined) return row
  return null
}

/** Rows that were read whole, in no order of their own. */
export function openWhole<Row>(rows: readonly Row[]): OpenedRows<Row> {
  return {
    read: () => mapBatches([rows], (batch) => batch),
  }
}

/**
 * Rows of stored ones, batch by batch. Sources call this instead of a generator function of their own. V8 keeps a
 * generator function that a request has made, with all that it refers to, until all garbage is collected: a list of
 * EAS took a third more processor time.
 */
export async function* mapBatches<Stored, Row>(
  batches: AsyncIterable<readonly Stored[]> | Iterable<readonly Stored[]>,
  rowsOf: (batch: readonly Stored[]) => readonly Row[] | Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield await rowsOf(batch)
}
