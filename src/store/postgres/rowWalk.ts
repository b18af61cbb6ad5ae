import type { ChainId } from '../../model/compositeId.ts'
import type { RowPlace, SliceRequest } from '../indexQueries.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Connection, SqlInput } from './connection.ts'

/**
 * Walks of rows in the order of listings from a place on, the way of everything that is paged by a key. A walk is one arm,
 * or several disjoint ones that are merged; each arm is a range of one index. PostgreSQL lets nobody name an index: what an arm's
 * index does not hold is therefore written so that no other index could be used for it (`filterConditions.ts`).
 */

export interface SqlCondition {
  /** On the rows under their alias, `a` for attestations and `s` for schemas. */
  readonly sql: string
  readonly parameters: readonly SqlInput[]
}

export interface WalkArm {
  /** The table that is walked, and its alias. */
  readonly table: string
  readonly alias: 'a' | 'k' | 's'
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

/**
 * The keys `t`, `c`, `o` of the rows of the arms that fulfil the condition, in their order, the first `limit` of them. Each arm ends
 * at that number by itself: what is merged is bounded, whatever the planner makes of it.
 */
export function keysSql(
  arms: readonly WalkArm[],
  range: WalkRange,
  condition: SqlCondition | null,
  limit: number,
  orderValueOf: OrderValueOf,
): SqlCondition {
  const parts = arms.map((arm) => {
    const { sql, parameters } = armRows(arm, range, condition, orderValueOf)
    const columns = `${arm.timestamp} AS t, ${arm.chain}::bigint AS c, ${arm.order} AS o`
    return {
      sql: `(SELECT ${columns} FROM ${sql} ORDER BY ${orderOf(arm, range.order)} LIMIT ?)`,
      parameters: [...parameters, limit],
    }
  })
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const direction = range.order === 'newestFirst' ? ' DESC' : ''
  const order = [1, 2, 3].map((column) => `${column}${direction}`).join(', ')
  return {
    sql: `${parts.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${order} LIMIT ?`,
    parameters: [...parts.flatMap(({ parameters }) => parameters), limit],
  }
}

/**
 * The place of the `count`-th row of the range, whatever other conditions say of it; null where there are fewer. Reads
 * nothing but the index.
 */
export async function findBoundary(
  connection: Connection,
  arms: readonly WalkArm[],
  range: WalkRange,
  count: number,
  orderValueOf: OrderValueOf,
): Promise<RowPlace | null> {
  const { sql, parameters } = keysSql(arms, range, null, count, orderValueOf)
  const row = await connection.get<[number, number, number]>(
    `SELECT t, c, o & ${positionMask} FROM (${sql}) AS m OFFSET ?`,
    ...parameters,
    count - 1,
  )
  return row === undefined ? null : { timestamp: row[0], chainId: row[1], position: row[2] }
}

/**
 * How many rows of an arm fulfil the condition, of the first `rowsMax` that the index has of it in whatever order; and how many it
 * was that were looked at.
 */
export async function countArm(
  connection: Connection,
  arm: WalkArm,
  range: WalkRange,
  condition: SqlCondition,
  rowsMax: number,
  orderValueOf: OrderValueOf,
): Promise<{ readonly count: number; readonly passed: number }> {
  const terms = [condition, arm.rowCondition].filter((term) => term !== null).filter(({ sql }) => sql !== '')
  const { sql, parameters } = armRows(arm, range, null, orderValueOf)
  const filter = terms.length === 0 ? '' : ` FILTER (WHERE ${joinTerms(terms)})`
  const rows = `(SELECT ${arm.alias}.* FROM ${sql} LIMIT ?) AS ${arm.alias}`
  const row = await connection.get<[number, number]>(
    `SELECT count(*)${filter}, count(*) FROM ${rows}${filter === '' ? '' : joinOf(arm)}`,
    ...terms.flatMap((term) => term.parameters),
    ...parameters,
    rowsMax,
  )
  return { count: row?.[0] ?? 0, passed: row?.[1] ?? 0 }
}

/** What brings the rows of attestations where another table is walked. */
function joinOf({ alias }: WalkArm): string {
  return alias === 'k' ? ' JOIN attestation a ON a.id = k.id' : ''
}

/**
 * `<table> WHERE …`: the rows of an arm within a range; without a condition those of its index. Where another table is
 * walked, rows are fetched only for a condition.
 */
function armRows(
  arm: WalkArm,
  range: WalkRange,
  condition: SqlCondition | null,
  orderValueOf: OrderValueOf,
): SqlCondition {
  const checks = condition === null ? [] : [condition, arm.rowCondition].filter((term) => term !== null)
  const isChecked = checks.some(({ sql }) => sql !== '')
  const terms = [arm.condition, ...rangeTerms(arm, range, orderValueOf), ...checks].filter(
    ({ sql }) => sql !== '',
  )
  return {
    sql:
      `${arm.table} ${arm.alias}${isChecked ? joinOf(arm) : ''}` +
      (terms.length === 0 ? '' : ` WHERE ${joinTerms(terms)}`),
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
}

function joinTerms(terms: readonly SqlCondition[]): string {
  return terms.map(({ sql }) => sql).join(' AND ')
}

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
function orderOf({ timestamp, chain, order, chainId }: WalkArm, direction: WalkOrder): string {
  const columns = chainId === null ? [timestamp, chain, order] : [timestamp, order]
  return columns.map((column) => `${column}${direction === 'newestFirst' ? ' DESC' : ''}`).join(', ')
}
