import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlRow, SqlText } from '../port/reads.ts'
import { countFrom } from './countFrom.ts'
import type { PageBounds } from './locateOffset.ts'
import { allOf, noTerm, term } from './sqlTerms.ts'

/**
 * Walks of rows in the order of listings from a place on: everything that is paged by a key is read so. A walk is one
 * arm, or several disjoint arms that are merged; each arm is a range of one index. SQLite gets the index by its name.
 * PostgreSQL has no such hint: columns of other indexes are hidden from the planner (`Dialect.hidden`).
 */

export interface WalkArm {
  /** The table that is walked with its alias, and with its index if the database takes a hint. */
  readonly from: string
  /** The join of the rows if another table is walked; begins with a space. */
  readonly join: string
  /** Columns of the walked table. The chain may be a number. */
  readonly timestamp: string
  readonly chain: string
  /** The column that orders the rows of one chain. */
  readonly order: string
  /** The condition that the index fixes. */
  readonly condition: SqlText
  /** The chain of all rows of the arm; null if they are of several. */
  readonly chainId: ChainId | null
  /** Whether the index has the chain between timestamp and position. */
  readonly chainInKey: boolean
  /** A condition on the rows of this arm beside the condition of the whole walk. */
  readonly rowCondition: SqlText | null
}

/**
 * Disjoint arms, and the condition that is left to check for each of their rows: empty SQL if there is no such
 * condition.
 */
export interface Walk {
  readonly arms: readonly WalkArm[]
  readonly condition: SqlText
  readonly orderValueOf: OrderValueOf
}

export type WalkOrder = SliceRequest<unknown>['order']

export interface WalkRange {
  readonly order: WalkOrder
  /** Rows strictly after this place; null: from the beginning. */
  readonly after: RowPlace | null
  /** Rows up to this place, which is included. Takes the place of the bounds in time, within which it lies. */
  readonly upTo: RowPlace | null
  /** Timestamps at or after, and before; null: without that bound. */
  readonly from: number | null
  readonly before: number | null
}

/** The value of an arm's `order` column at a place. */
export type OrderValueOf = (place: RowPlace) => number | bigint

/** A range whose beginning is one place: the bound in time on its side is made part of `after`. */
export function beginRange(range: Omit<WalkRange, 'upTo'>): WalkRange {
  const bound = range.order === 'newestFirst' ? range.before : range.from
  const { after } = range
  const isInside =
    bound === null ||
    (after !== null && (range.order === 'newestFirst' ? after.timestamp < bound : after.timestamp >= bound))
  // No chain is below 0: the place lies before everything of that second.
  return { ...range, upTo: null, after: isInside ? after : { timestamp: bound, chainId: -1, position: -1 } }
}

/** The columns that a statement reads of the rows of a walk. */
export interface WalkedRows {
  readonly columns: string
  /** The table of the rows with the condition that joins a row with its key `m`, and what else is joined. */
  readonly joined: string
  /** Whether rows of one arm are read in the walk itself; nothing else is joined then. */
  readonly inWalk: boolean
}

/** Reads rows `skip` to `skip + limit` of a walk within a range, in its order. */
export function readWalk<Row extends SqlRow>(
  { dialect, all }: Reads,
  walk: Walk,
  range: WalkRange,
  { limit, skip }: Omit<PageBounds, 'maxTimestamp'>,
  { columns, joined, inWalk }: WalkedRows,
): Promise<Row[]> {
  const [only, ...others] = walk.arms
  // One walk over the rows themselves takes half the time of one that is joined with them. A posting that is passed
  // over would be joined with its row in vain.
  if (inWalk && only !== undefined && others.length === 0 && (only.join === '' || skip === 0)) {
    const { sql, parameters } = armRows(only, range, walk, only.join)
    const bounded = `ORDER BY ${orderOf(only, range.order)} LIMIT ${dialect.bound} OFFSET ${dialect.bound}`
    return all<Row>(`SELECT ${columns} FROM ${sql} ${bounded}`, ...parameters, limit, skip)
  }
  const { sql, parameters } = keysSql(dialect, walk, range, limit, skip)
  const order = orderBy(areOfOneChain(walk.arms) ? ['m.t', 'm.o'] : ['m.t', 'm.c', 'm.o'], range.order)
  const from = `(${sql}) AS m ${dialect.drivenJoin} ${joined}`
  return all<Row>(`SELECT ${columns} FROM ${from} ORDER BY ${order}`, ...parameters)
}

/** Reads a page of disjoint arms, newest first. */
export function readPage<Row extends SqlRow>(
  reads: Reads,
  arms: readonly WalkArm[],
  bounds: PageBounds,
  rows: WalkedRows,
): Promise<Row[]> {
  const { maxTimestamp } = bounds
  const before = maxTimestamp === Number.MAX_SAFE_INTEGER ? null : maxTimestamp + 1
  // A bound in time costs less for each row than a place. Without a place nothing asks for its value.
  const range: WalkRange = { order: 'newestFirst', after: null, upTo: null, from: null, before }
  return readWalk(reads, { arms, condition: noTerm, orderValueOf: () => -1 }, range, bounds, rows)
}

/** The condition of null: rows are not checked. */
type Checks = Pick<Walk, 'orderValueOf'> & { readonly condition: SqlText | null }

/**
 * The keys `t`, `c`, `o` of the rows of the arms, in their order: an entry that is skipped costs a step in an index.
 */
function keysSql(
  dialect: Dialect,
  { arms, ...checks }: Checks & Pick<Walk, 'arms'>,
  range: WalkRange,
  limit: number,
  skip: number,
): SqlText {
  const { condition } = checks
  const selects = arms.map((arm) => {
    const readsRow = condition !== null && (condition.sql !== '' || arm.rowCondition !== null)
    const { sql, parameters } = armRows(arm, range, checks, readsRow ? arm.join : '')
    return {
      sql: `SELECT ${arm.timestamp} AS t, ${arm.chain} AS c, ${arm.order} AS o FROM ${sql}`,
      parameters,
      order: orderOf(arm, range.order),
    }
  })
  const columns = areOfOneChain(arms) ? ['1', '3'] : ['1', '2', '3']
  return dialect.merged(selects, orderBy(columns, range.order), limit, skip)
}

function areOfOneChain(arms: readonly WalkArm[]): boolean {
  return arms.every(({ chainId }) => chainId !== null && chainId === arms[0]?.chainId)
}

/**
 * The place of the `count`-th row of the range, whatever other conditions say of it; null if there are fewer. Reads
 * nothing but the index.
 */
export async function findBoundary(
  reads: Reads,
  walk: Walk,
  range: WalkRange,
  count: number,
): Promise<RowPlace | null> {
  const { sql, parameters } = keysSql(reads.dialect, { ...walk, condition: null }, range, 1, count - 1)
  const row = await reads.get<[number, number, number]>(
    `SELECT t, c, o & ${positionMask} FROM (${sql}) AS m`,
    ...parameters,
  )
  return row === undefined ? null : { timestamp: row[0], chainId: row[1], position: row[2] }
}

/** Whether the indexes say all of a walk: every entry is a row of it. */
export function isBare({ arms, condition }: Walk): boolean {
  return condition.sql === '' && arms.every(({ rowCondition }) => rowCondition === null)
}

/** The place of the `count`-th row of a walk in a span of time, if no row has to be read; null otherwise. */
export async function findPlace(
  reads: Reads,
  walk: Walk,
  order: WalkOrder,
  count: number,
  span: Pick<WalkRange, 'from' | 'before'> = { from: null, before: null },
): Promise<RowPlace | 'end' | null> {
  if (!isBare(walk)) return null
  const range = beginRange({ order, after: null, ...span })
  return (await findBoundary(reads, walk, range, count)) ?? 'end'
}

/** How many rows an arm has. */
export async function countArm(reads: Reads, arm: WalkArm): Promise<number> {
  const { condition, rowCondition } = arm
  const { sql, parameters } = allOf([condition, rowCondition ?? noTerm])
  const join = rowCondition === null ? '' : arm.join
  return await countFrom(reads, `${arm.from}${join} WHERE ${sql}`, parameters)
}

/** `<table> <join> WHERE …`: the rows of an arm within a range; with a condition those that fulfil it. */
export function armRows(
  arm: WalkArm,
  range: WalkRange,
  { condition, orderValueOf }: Checks,
  join: string,
): SqlText {
  const checks = condition === null ? [] : [condition, arm.rowCondition ?? noTerm]
  const { sql, parameters } = allOf([arm.condition, ...rangeTerms(arm, range, orderValueOf), ...checks])
  return { sql: `${arm.from}${join}${sql === '' ? '' : ` WHERE ${sql}`}`, parameters }
}

/** At most one bound on each side: SQLite then has no choice which one to walk by. */
function rangeTerms(arm: WalkArm, range: WalkRange, orderValueOf: OrderValueOf): SqlText[] {
  const isNewest = range.order === 'newestFirst'
  const terms: SqlText[] = []
  if (range.after !== null) {
    terms.push(placeTerm(arm, isNewest ? '<' : '>', range.after, orderValueOf))
  } else if (isNewest && range.before !== null) {
    terms.push(term(`${arm.timestamp} < ?`, range.before))
  }
  if (range.upTo !== null) {
    terms.push(placeTerm(arm, isNewest ? '>=' : '<=', range.upTo, orderValueOf))
  } else if (isNewest && range.from !== null) {
    terms.push(term(`${arm.timestamp} >= ?`, range.from))
  } else if (!isNewest && range.before !== null) {
    terms.push(term(`${arm.timestamp} < ?`, range.before))
  }
  return terms
}

const orderValueMax = 2n ** 63n - 1n

function placeTerm(arm: WalkArm, operator: string, place: RowPlace, orderValueOf: OrderValueOf): SqlText {
  if (arm.chainInKey) {
    const key = `(${arm.timestamp}, ${arm.chain}, ${arm.order})`
    return term(`${key} ${operator} (?, ?, ?)`, place.timestamp, place.chainId, orderValueOf(place))
  }
  // If the place is on another chain, all rows of its second lie on one side of it.
  const here = arm.chainId ?? -1
  const order = place.chainId === here ? orderValueOf(place) : place.chainId > here ? orderValueMax : -1
  return term(`(${arm.timestamp}, ${arm.order}) ${operator} (?, ?)`, place.timestamp, order)
}

/** The chain is left out of the order if all rows are of one: not every index shows that it is sorted. */
function orderOf({ timestamp, chain, order, chainId }: WalkArm, direction: WalkOrder): string {
  return orderBy(chainId === null ? [timestamp, chain, order] : [timestamp, order], direction)
}

function orderBy(columns: readonly string[], direction: WalkOrder): string {
  return columns.map((column) => `${column}${direction === 'newestFirst' ? ' DESC' : ''}`).join(', ')
}
