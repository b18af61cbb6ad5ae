import { zeroAddress } from '../../model/hex.ts'
import type { RowPlace, SchemaFilter, Slice, SliceRequest } from '../indexQueries.ts'
import type { StoredSchema } from '../indexReader.ts'
import { findAddress } from './addressLists.ts'
import { isStorable } from './attestationFilter.ts'
import type { Connection, SqlInput } from './connection.ts'
import { readSlice } from './readSlice.ts'
import {
  beginRange,
  findBoundary,
  keysSql,
  type SqlCondition,
  type WalkArm,
  type WalkRange,
} from './rowWalk.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** How the schemas that pass a filter are walked, always by one index. */
export interface SchemaWalkPlan {
  readonly arm: WalkArm
  readonly condition: SqlCondition
}

/** A slice of the schemas that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceSchemas(
  connection: Connection,
  request: SliceRequest<SchemaFilter>,
  rowsMax: number,
): Promise<Slice<StoredSchema>> {
  const plan = await chooseSchemaWalk(connection, request.filter)
  if (plan === null) return { rows: [], hasMore: false, scannedTo: null }
  const source = {
    hasCondition: plan.condition.sql !== '',
    readRows: (range: WalkRange, limit: number) => readRows(connection, plan, range, limit),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(connection, [plan.arm], range, count, schemaOrder),
  }
  const { registeredFrom: from, registeredBefore: before } = request.filter
  const range = beginRange({ order: request.order, after: request.after, from, before })
  return await readSlice<StoredSchema>(source, range, request.limit, rowsMax)
}

/** Rows of schemas hold their position as it is. */
export function schemaOrder(place: RowPlace): number {
  return place.position
}

/** The way to walk the schemas that pass a filter; null where none can. */
export async function chooseSchemaWalk(
  connection: Connection,
  filter: SchemaFilter,
): Promise<SchemaWalkPlan | null> {
  if (!isStorable(filter.protocol)) return null
  const { registrant: by, resolver: through } = filter
  const hasResolver = through !== null && through !== zeroAddress
  const [registrant, resolver] = await Promise.all([
    by === null ? null : findAddress(connection, by),
    hasResolver ? findAddress(connection, through) : null,
  ])
  if ((by !== null && registrant === null) || (hasResolver && resolver === null)) return null

  const arm =
    registrant !== null
      ? schemaArm('s.registrant_id = ? AND s.registered', registrant.id)
      : resolver !== null
        ? schemaArm('s.resolver_id = ?', resolver.id)
        : filter.chainId !== null
          ? chainArm(filter.chainId)
          : schemaArm('s.registered')

  const terms: SqlCondition[] = []
  const add = (sql: string, ...parameters: SqlInput[]) => terms.push({ sql, parameters })
  if (registrant !== null && resolver !== null) add('s.resolver_id + 0 = ?', resolver.id)
  if (through === zeroAddress) add('s.resolver_id IS NULL')
  if (filter.chainId !== null && arm.chainId === null) add('s.chain_id + 0 = ?', filter.chainId)
  if (filter.protocol !== null) add('s.protocol = ?', filter.protocol)
  if (filter.revocable !== null) add('s.revocable = ?', filter.revocable)
  const condition = {
    sql: terms.map(({ sql }) => sql).join(' AND '),
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
  return { arm, condition }
}

async function readRows(
  connection: Connection,
  { arm, condition }: SchemaWalkPlan,
  range: WalkRange,
  limit: number,
): Promise<(StoredSchema & { readonly place: RowPlace })[]> {
  const { sql, parameters } = keysSql([arm], range, condition, limit, schemaOrder)
  const direction = range.order === 'newestFirst' ? ' DESC' : ''
  const rows = await connection.all<[position: number, ...SchemaRow]>(
    `SELECT m.o, ${schemaColumns} FROM (${sql}) AS m JOIN schema s ON s.chain_id = m.c AND s.position = m.o ` +
      `AND s.registered ORDER BY m.t${direction}, m.c${direction}, m.o${direction}`,
    ...parameters,
  )
  return rows.map(([position, ...row]) => {
    const schema = storedSchemaOfRow(row)
    return {
      ...schema,
      place: { timestamp: schema.registerTimestamp, chainId: schema.key.chainId, position },
    }
  })
}

function schemaArm(condition: string, ...parameters: readonly number[]): WalkArm {
  return {
    table: 'schema',
    alias: 's',
    timestamp: 's.register_timestamp',
    chain: 's.chain_id',
    order: 's.position',
    condition: { sql: condition, parameters },
    chainId: null,
    chainInKey: true,
    rowCondition: null,
  }
}

function chainArm(chainId: number): WalkArm {
  const arm = schemaArm('s.chain_id = ? AND s.registered', chainId)
  return { ...arm, chainId, chainInKey: false }
}
