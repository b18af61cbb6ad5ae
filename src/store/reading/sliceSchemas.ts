import { zeroAddress } from '../../model/hex.ts'
import type { RowPlace, SchemaFilter, Slice, SliceRequest } from '../indexQueries.ts'
import type { StoredSchema } from '../indexReader.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlInput, SqlText } from '../port/reads.ts'
import { findAddress } from './addressLists.ts'
import { isStorable } from './attestationFilter.ts'
import { readSlice } from './readSlice.ts'
import { beginRange, directSql, findBoundary, keysSql, type WalkArm, type WalkRange } from './rowWalk.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** How the schemas that pass a filter are walked, always by one index. */
export interface SchemaWalkPlan {
  readonly arm: WalkArm
  readonly condition: SqlText
}

/** A slice of the schemas that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceSchemas(
  reads: Reads,
  request: SliceRequest<SchemaFilter>,
  rowsMax: number,
): Promise<Slice<StoredSchema>> {
  const plan = await chooseSchemaWalk(reads, request.filter)
  if (plan === null) return { rows: [], hasMore: false, scannedTo: null }
  const source = {
    check: null,
    hasCondition: plan.condition.sql !== '',
    readRows: (range: WalkRange, limit: number) => readRows(reads, plan, range, limit),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(reads, [plan.arm], range, count, schemaOrder),
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
export async function chooseSchemaWalk(reads: Reads, filter: SchemaFilter): Promise<SchemaWalkPlan | null> {
  if (!isStorable(filter.protocol)) return null
  const { registrant: by, resolver: through } = filter
  const hasResolver = through !== null && through !== zeroAddress
  const [registrant, resolver] = await Promise.all([
    by === null ? null : findAddress(reads, by),
    hasResolver ? findAddress(reads, through) : null,
  ])
  if ((by !== null && registrant === null) || (hasResolver && resolver === null)) return null

  const { dialect } = reads
  const registered = dialect.flag('s.registered', true)
  const arm =
    registrant !== null
      ? schemaArm(dialect, 'schema_by_registrant', `s.registrant_id = ? AND ${registered}`, registrant.id)
      : resolver !== null
        ? schemaArm(dialect, 'schema_by_resolver', 's.resolver_id = ?', resolver.id)
        : filter.chainId !== null
          ? chainArm(dialect, filter.chainId)
          : schemaArm(dialect, 'schema_by_time', registered)

  const terms: SqlText[] = []
  const add = (sql: string, ...parameters: SqlInput[]) => terms.push({ sql, parameters })
  if (registrant !== null && resolver !== null) {
    add(`${dialect.hidden('s.resolver_id', 'integer')} = ?`, resolver.id)
  }
  if (through === zeroAddress) add('s.resolver_id IS NULL')
  if (filter.chainId !== null && arm.chainId === null) {
    add(`${dialect.hidden('s.chain_id', 'integer')} = ?`, filter.chainId)
  }
  if (filter.protocol !== null) add('s.protocol = ?', filter.protocol)
  if (filter.revocable !== null) add(dialect.flag('s.revocable', filter.revocable))
  const condition = {
    sql: terms.map(({ sql }) => sql).join(' AND '),
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
  return { arm, condition }
}

async function readRows(
  reads: Reads,
  { arm, condition }: SchemaWalkPlan,
  range: WalkRange,
  limit: number,
): Promise<(StoredSchema & { readonly place: RowPlace })[]> {
  const { dialect } = reads
  const columns = `s.position, ${schemaColumns}`
  const rows = await reads.all<[position: number, ...SchemaRow]>(
    ...statementOf(
      dialect.readsRowsInWalk
        ? directSql(dialect, arm, range, condition, columns, limit, schemaOrder)
        : joinedSql(dialect, arm, range, condition, columns, limit),
    ),
  )
  return rows.map(([position, ...row]) => {
    const schema = storedSchemaOfRow(dialect, row)
    return {
      ...schema,
      place: { timestamp: schema.registerTimestamp, chainId: schema.key.chainId, position },
    }
  })
}

function statementOf({ sql, parameters }: SqlText): [sql: string, ...parameters: SqlInput[]] {
  return [sql, ...parameters]
}

/** The rows of keys that are cut out of the index first. */
function joinedSql(
  dialect: Dialect,
  arm: WalkArm,
  range: WalkRange,
  condition: SqlText,
  columns: string,
  limit: number,
): SqlText {
  const keys = keysSql(dialect, [arm], range, condition, { limit, skip: 0 }, schemaOrder)
  const direction = range.order === 'newestFirst' ? ' DESC' : ''
  return {
    sql:
      `SELECT ${columns} FROM (${keys.sql}) AS m ${dialect.drivenJoin} schema s ON s.chain_id = m.c AND s.position = m.o ` +
      `AND ${dialect.flag('s.registered', true)} ORDER BY m.t${direction}, m.c${direction}, m.o${direction}`,
    parameters: keys.parameters,
  }
}

type SchemaIndex = 'schema_by_time' | 'schema_by_registrant' | 'schema_by_resolver' | 'schema_by_chain'

function schemaArm(
  dialect: Dialect,
  index: SchemaIndex,
  condition: string,
  ...parameters: readonly number[]
): WalkArm {
  return {
    from: dialect.walked('schema', 's', index),
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

function chainArm(dialect: Dialect, chainId: number): WalkArm {
  const condition = `s.chain_id = ? AND ${dialect.flag('s.registered', true)}`
  return { ...schemaArm(dialect, 'schema_by_chain', condition, chainId), chainId, chainInKey: false }
}
