import { zeroAddress } from '../../model/hex.ts'
import type { RowPlace, SchemaFilter, Slice, SliceRequest } from '../indexQueries.ts'
import type { StoredSchema } from '../indexReader.ts'
import { findAddress } from './addressLists.ts'
import { readSlice } from './readSlice.ts'
import type { ReadSession } from './readSession.ts'
import {
  beginRange,
  findBoundary,
  singleArmSql,
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
export function sliceSchemas(
  session: ReadSession,
  request: SliceRequest<SchemaFilter>,
  rowsMax: number,
): Slice<StoredSchema> {
  const plan = chooseSchemaWalk(session, request.filter)
  if (plan === null) return { rows: [], hasMore: false, scannedTo: null }
  const source = {
    hasCondition: plan.condition.sql !== '',
    readRows: (range: WalkRange, limit: number) => readRows(session, plan, range, limit),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(session.connection, [plan.arm], range, count, schemaOrder),
  }
  const { registeredFrom: from, registeredBefore: before } = request.filter
  const range = beginRange({ order: request.order, after: request.after, from, before })
  return readSlice<StoredSchema>(source, range, request.limit, rowsMax)
}

/** Rows of schemas hold their position as it is. */
export function schemaOrder(place: RowPlace): number {
  return place.position
}

/** The way to walk the schemas that pass a filter; null where none can. */
export function chooseSchemaWalk(session: ReadSession, filter: SchemaFilter): SchemaWalkPlan | null {
  const registrant = filter.registrant === null ? null : findAddress(session, filter.registrant)
  if (filter.registrant !== null && registrant === null) return null
  const hasResolver = filter.resolver !== null && filter.resolver !== zeroAddress
  const resolver = hasResolver && filter.resolver !== null ? findAddress(session, filter.resolver) : null
  if (hasResolver && resolver === null) return null

  const arm =
    registrant !== null
      ? schemaArm('schema_by_registrant', 's.registrant_id = ? AND s.registered = 1', registrant.id)
      : resolver !== null
        ? schemaArm('schema_by_resolver', 's.resolver_id = ?', resolver.id)
        : filter.chainId !== null
          ? chainArm(filter.chainId)
          : schemaArm('schema_by_time', 's.registered = 1')

  const terms: SqlCondition[] = []
  const add = (sql: string, ...parameters: number[] | string[]) => terms.push({ sql, parameters })
  if (registrant !== null && resolver !== null) add('s.resolver_id = ?', resolver.id)
  if (filter.resolver === zeroAddress) add('s.resolver_id IS NULL')
  if (filter.chainId !== null && arm.chainId === null) add('+s.chain_id = ?', filter.chainId)
  if (filter.protocol !== null) add('s.protocol = ?', filter.protocol)
  if (filter.revocable !== null) add('s.revocable = ?', filter.revocable ? 1 : 0)
  const condition = {
    sql: terms.map(({ sql }) => sql).join(' AND '),
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
  return { arm, condition }
}

function readRows(
  session: ReadSession,
  { arm, condition }: SchemaWalkPlan,
  range: WalkRange,
  limit: number,
): (StoredSchema & { readonly place: RowPlace })[] {
  const { sql, parameters } = singleArmSql(arm, range, condition, `s.position, ${schemaColumns}`, schemaOrder)
  return session.connection
    .statement<[position: number, ...SchemaRow]>(sql)
    .all(...parameters, limit)
    .map(([position, ...row]) => {
      const schema = storedSchemaOfRow(row)
      return {
        ...schema,
        place: { timestamp: schema.registerTimestamp, chainId: schema.key.chainId, position },
      }
    })
}

type SchemaIndex = 'schema_by_time' | 'schema_by_registrant' | 'schema_by_resolver' | 'schema_by_chain'

function schemaArm(index: SchemaIndex, condition: string, ...parameters: readonly number[]): WalkArm {
  return {
    from: `schema s INDEXED BY ${index}`,
    join: '',
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
  const arm = schemaArm('schema_by_chain', 's.chain_id = ? AND s.registered = 1', chainId)
  return { ...arm, chainId, chainInKey: false }
}
