import type { SQLInputValue } from 'node:sqlite'
import type { ChainId } from '../../model/compositeId.ts'
import type { RowPlace, SliceRequest } from '../indexQueries.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Connection } from './connection.ts'

/**
 * Walks of rows in the order of listings from a place on, the way of everything that is paged by a key. A walk is one arm,
 * or several disjoint ones that are merged; each arm is a range of an index, named, so that SQLite never chooses another.
 */

export interface SqlCondition {
  /** On the rows under their alias, `a` for attestations and `s` for schemas. */
  readonly sql: string
  readonly parameters: readonly SQLInputValue[]
}

export interface WalkArm {
  /** The table that is walked with its alias, and its index where it has several. */
  readonly from: string
  /** What brings the rows where another table is walked; begins with a space. */
  readonly join: string
  /** Columns of the walked table. The chain may be a number. */
  readonly timestamp: string
  readonly chain: string
  /** What orders the rows of one chain. */
  readonly order: string
  /** What the index fixes. */
  readonly condition: SqlCondition
  /** The chain of all rows of the arm; null where they are of several. */
  readonly chainId: ChainId | null
  /** Whether the index has the chain between timestamp and position. */
  readonly chainInKey: boolean
  /** What rows of this arm must fulfil beside the condition of the whole walk. */
  readonly rowCondition: SqlCondition | null
}

export type WalkOrder = SliceRequest<unknown>['order']

export interface WalkRange {
  readonly order: WalkOrder
  /** Rows strictly behind this place; null: from the beginning. */
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

/** The rows of a walk of one arm as `SELECT columns … ORDER BY … LIMIT +?`; the last parameter is still missing. */
export function singleArmSql(
  arm: WalkArm,
  range: WalkRange,
  condition: SqlCondition,
  columns: string,
  orderValueOf: OrderValueOf,
): SqlCondition {
  const rows = armRows(arm, range, condition, orderValueOf, true)
  const order = orderOf([arm], range.order, [arm.timestamp, arm.chain, arm.order])
  return {
    sql: `SELECT ${columns} FROM ${rows.sql} ORDER BY ${order} LIMIT +?`,
    parameters: rows.parameters,
  }
}

/** The keys `t`, `c`, `o` of the rows of several arms in their order, `LIMIT +?` at the end. */
export function mergedArmsSql(
  arms: readonly WalkArm[],
  range: WalkRange,
  condition: SqlCondition | null,
  orderValueOf: OrderValueOf,
): SqlCondition {
  const parts = arms.map((arm) => ({ arm, rows: armRows(arm, range, condition, orderValueOf, false) }))
  const selects = parts.map(
    ({ arm, rows }) => `SELECT ${arm.timestamp} AS t, ${arm.chain} AS c, ${arm.order} AS o FROM ${rows.sql}`,
  )
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY ${orderOf(arms, range.order, ['1', '2', '3'])} LIMIT +?`,
    parameters: parts.flatMap(({ rows }) => rows.parameters),
  }
}

/**
 * The place of the `count`-th row of the range, whatever other conditions say of it; null where there are fewer. Reads
 * nothing but the index.
 */
export function findBoundary(
  connection: Connection,
  arms: readonly WalkArm[],
  range: WalkRange,
  count: number,
  orderValueOf: OrderValueOf,
): RowPlace | null {
  const { sql, parameters } = mergedArmsSql(arms, range, null, orderValueOf)
  const row = connection
    .statement<[number, number, number]>(`SELECT t, c, o & ${positionMask} FROM (${sql} OFFSET +?)`)
    .get(...parameters, 1, count - 1)
  return row === undefined ? null : { timestamp: row[0], chainId: row[1], position: row[2] }
}

/** How many rows of an arm fulfil the condition. */
export function countArm(
  connection: Connection,
  arm: WalkArm,
  range: WalkRange,
  condition: SqlCondition,
  orderValueOf: OrderValueOf,
): number {
  const { sql, parameters } = armRows(arm, range, condition, orderValueOf, false)
  return connection.statement<[number]>(`SELECT count(*) FROM ${sql}`).get(...parameters)?.[0] ?? 0
}

/**
 * `<table> WHERE …`: the rows of an arm within a range; without a condition those of its index. Where another table is
 * walked, rows are fetched only for `withRows` or for a condition.
 */
function armRows(
  arm: WalkArm,
  range: WalkRange,
  condition: SqlCondition | null,
  orderValueOf: OrderValueOf,
  withRows: boolean,
): SqlCondition {
  const terms = [arm.condition, ...rangeTerms(arm, range, orderValueOf)]
  if (condition !== null) terms.push(condition)
  if (condition !== null && arm.rowCondition !== null) terms.push(arm.rowCondition)
  const isChecked = condition !== null && (condition.sql !== '' || arm.rowCondition !== null)
  const used = terms.filter(({ sql }) => sql !== '')
  return {
    sql:
      `${arm.from}${withRows || isChecked ? arm.join : ''}` +
      (used.length === 0 ? '' : ` WHERE ${used.map(({ sql }) => sql).join(' AND ')}`),
    parameters: used.flatMap(({ parameters }) => parameters),
  }
}

/** At most one bound on each side, so that SQLite has no choice which one to walk by. */
function rangeTerms(arm: WalkArm, range: WalkRange, orderValueOf: OrderValueOf): SqlCondition[] {
  const isNewest = range.order === 'newestFirst'
  const terms: SqlCondition[] = []
  if (range.after !== null) terms.push(placeTerm(arm, isNewest ? '<' : '>', range.after, orderValueOf))
  if (range.upTo !== null) {
    terms.push(placeTerm(arm, isNewest ? '>=' : '<=', range.upTo, orderValueOf))
  } else if (isNewest && range.from !== null) {
    terms.push({ sql: `${arm.timestamp} >= ?`, parameters: [range.from] })
  } else if (!isNewest && range.before !== null) {
    terms.push({ sql: `${arm.timestamp} < ?`, parameters: [range.before] })
  }
  return terms
}

const orderValueMax = 2n ** 63n - 1n

function placeTerm(
  arm: WalkArm,
  operator: string,
  place: RowPlace,
  orderValueOf: OrderValueOf,
): SqlCondition {
  if (arm.chainInKey) {
    return {
      sql: `(${arm.timestamp}, ${arm.chain}, ${arm.order}) ${operator} (?, ?, ?)`,
      parameters: [place.timestamp, place.chainId, orderValueOf(place)],
    }
  }
  // Where the place is on another chain, all rows of its second lie on one side of it.
  const here = arm.chainId ?? -1
  const order = place.chainId === here ? orderValueOf(place) : place.chainId > here ? orderValueMax : -1
  return {
    sql: `(${arm.timestamp}, ${arm.order}) ${operator} (?, ?)`,
    parameters: [place.timestamp, order],
  }
}

/** The chain is left out of the order where all rows are of one: not every index could tell that it is sorted. */
function orderOf(
  arms: readonly WalkArm[],
  order: WalkOrder,
  [timestamp, chain, position]: readonly [string, string, string],
): string {
  const isOneChain = arms.every(({ chainId }) => chainId !== null && chainId === arms[0]?.chainId)
  const columns = isOneChain ? [timestamp, position] : [timestamp, chain, position]
  return columns.map((column) => `${column}${order === 'newestFirst' ? ' DESC' : ''}`).join(', ')
}
