import type { ChainId } from '../../model/compositeId.ts'
import type { RowPlace, SliceRequest } from '../indexQueries.ts'
import type { StoredAttestation } from '../indexReader.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlText, SqlValue } from '../port/reads.ts'

/**
 * Walks of rows in the order of listings from a place on: everything that is paged by a key is read so. A walk is one
 * arm, or several disjoint arms that are merged; each arm is a range of one index. SQLite is told the index by its
 * name; over PostgreSQL, which has no such hint, columns of other indexes are hidden from the planner
 * (`Dialect.hidden`).
 */

export interface WalkArm {
  /** The table that is walked with its alias, and its index where the database is told it. */
  readonly from: string
  /** The join of the rows where another table is walked; begins with a space. */
  readonly join: string
  /** Columns of the walked table. The chain may be a number. */
  readonly timestamp: string
  readonly chain: string
  /** The column that orders the rows of one chain. */
  readonly order: string
  /** The condition that the index fixes. */
  readonly condition: SqlText
  /** The chain of all rows of the arm; null where they are of several. */
  readonly chainId: ChainId | null
  /** Whether the index has the chain between timestamp and position. */
  readonly chainInKey: boolean
  /** A condition on the rows of this arm beside the condition of the whole walk. */
  readonly rowCondition: SqlText | null
}

/** By what the rows of a walk are counted. */
export interface TallyKey {
  /** The expression of the key, from columns of the arm. */
  of(arm: WalkArm): string
  /** Whether the expression reads the row of the attestation, not only the entry of the index. */
  readonly readsRow: boolean
  /** Whether the key is in the payload: rows are counted outside of the database. */
  readonly isDecoded?: boolean
  /** The same of a row that has been read. */
  ofRow(row: PlacedAttestation): SqlValue
}

/** Rows of a range that are counted where they fulfil a condition. */
export interface CountedWalk {
  readonly condition: SqlText
  readonly range: WalkRange
  readonly orderValueOf: OrderValueOf
  /** By what rows are counted; null: all together. */
  readonly key: TallyKey | null
}

export type PlacedAttestation = StoredAttestation & { readonly place: RowPlace }

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
 * The rows of a walk of one arm, read together with the walk; for dialects with `readsRowsInWalk`.
 */
export function directSql(
  { bound }: Dialect,
  arm: WalkArm,
  range: WalkRange,
  condition: SqlText,
  columns: string,
  limit: number,
  orderValueOf: OrderValueOf,
): SqlText {
  const { sql, parameters } = armRows(arm, range, condition, orderValueOf, arm.join)
  return {
    sql: `SELECT ${columns} FROM ${sql} ORDER BY ${orderOf(arm, range.order)} LIMIT ${bound}`,
    parameters: [...parameters, limit],
  }
}

/**
 * The keys `t`, `c`, `o` of the rows of the arms that fulfil the condition, in their order: rows `skip` to
 * `skip + limit`.
 */
export function keysSql(
  dialect: Dialect,
  arms: readonly WalkArm[],
  range: WalkRange,
  condition: SqlText | null,
  { limit, skip }: { readonly limit: number; readonly skip: number },
  orderValueOf: OrderValueOf,
): SqlText {
  const isChecked = condition !== null && condition.sql !== ''
  const selects = arms.map((arm) => {
    const hasCheck = isChecked || (condition !== null && arm.rowCondition !== null)
    const { sql, parameters } = armRows(arm, range, condition, orderValueOf, hasCheck ? arm.join : '')
    return {
      sql: `SELECT ${arm.timestamp} AS t, ${arm.chain} AS c, ${arm.order} AS o FROM ${sql}`,
      parameters,
      order: orderOf(arm, range.order),
    }
  })
  const isOneChain = arms.every(({ chainId }) => chainId !== null && chainId === arms[0]?.chainId)
  return dialect.merged(selects, orderBy(isOneChain ? ['1', '3'] : ['1', '2', '3'], range.order), limit, skip)
}

/**
 * The place of the `count`-th row of the range, whatever other conditions say of it; null where there are fewer. Reads
 * nothing but the index.
 */
export async function findBoundary(
  reads: Reads,
  arms: readonly WalkArm[],
  range: WalkRange,
  count: number,
  orderValueOf: OrderValueOf,
): Promise<RowPlace | null> {
  const only = { limit: 1, skip: count - 1 }
  const { sql, parameters } = keysSql(reads.dialect, arms, range, null, only, orderValueOf)
  const row = await reads.get<[number, number, number]>(
    `SELECT t, c, o & ${positionMask} FROM (${sql}) AS m`,
    ...parameters,
  )
  return row === undefined ? null : { timestamp: row[0], chainId: row[1], position: row[2] }
}

/**
 * How many rows of an arm fulfil the condition by their key, of the first `rowsMax` that the index has of it in
 * whatever order; and how many rows were passed over for each. Of more than `keysMax` keys, the others are left out.
 */
export async function tallyArm(
  reads: Reads,
  { range, condition, orderValueOf, key }: CountedWalk,
  arm: WalkArm,
  rowsMax: number,
  keysMax: number,
): Promise<[key: SqlValue, count: number, passed: number][]> {
  const terms = [condition, arm.rowCondition].filter((term) => term !== null).filter(({ sql }) => sql !== '')
  const isChecked = terms.length > 0
  const rows = armRows(arm, range, null, orderValueOf, isChecked || key?.readsRow === true ? arm.join : '')
  const passes = isChecked ? joinTerms(terms) : 'true'
  const [columns, keyed, grouped] =
    key === null
      ? ['', 'NULL', '']
      : [`, ${key.of(arm)} AS key`, 'm.key', ` GROUP BY m.key LIMIT ${reads.dialect.bound}`]
  return await reads.all<[SqlValue, number, number]>(
    `SELECT ${keyed}, count(*) FILTER (WHERE m.passes), count(*) ` +
      `FROM (SELECT ${passes} AS passes${columns} FROM ${rows.sql} LIMIT ${reads.dialect.bound}) AS m${grouped}`,
    ...terms.flatMap((term) => term.parameters),
    ...rows.parameters,
    rowsMax,
    ...(key === null ? [] : [keysMax]),
  )
}

/** `<table> <join> WHERE …`: the rows of an arm within a range; with a condition those that fulfil it. */
export function armRows(
  arm: WalkArm,
  range: WalkRange,
  condition: SqlText | null,
  orderValueOf: OrderValueOf,
  join: string,
): SqlText {
  const checks = condition === null ? [] : [condition, arm.rowCondition].filter((term) => term !== null)
  const terms = [arm.condition, ...rangeTerms(arm, range, orderValueOf), ...checks].filter(
    ({ sql }) => sql !== '',
  )
  return {
    sql: `${arm.from}${join}` + (terms.length === 0 ? '' : ` WHERE ${joinTerms(terms)}`),
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
}

function joinTerms(terms: readonly SqlText[]): string {
  return terms.map(({ sql }) => sql).join(' AND ')
}

/** At most one bound on each side: SQLite then has no choice which one to walk by. */
function rangeTerms(arm: WalkArm, range: WalkRange, orderValueOf: OrderValueOf): SqlText[] {
  const isNewest = range.order === 'newestFirst'
  const terms: SqlText[] = []
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

function placeTerm(arm: WalkArm, operator: string, place: RowPlace, orderValueOf: OrderValueOf): SqlText {
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
  return orderBy(chainId === null ? [timestamp, chain, order] : [timestamp, order], direction)
}

function orderBy(columns: readonly string[], direction: WalkOrder): string {
  return columns.map((column) => `${column}${direction === 'newestFirst' ? ' DESC' : ''}`).join(', ')
}
