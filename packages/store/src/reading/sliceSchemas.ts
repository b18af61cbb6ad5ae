import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { SchemaFilter, Slice, SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import { findAddress } from './addressLists.ts'
import { isStorable } from './attestationFilter.ts'
import { beforeCut, placeOfCut } from './cut.ts'
import type { PageBounds } from './locateOffset.ts'
import { sliceWalk } from './readSlice.ts'
import { readPage, type Walk, type WalkArm, type WalkedRows } from './rowWalk.ts'
import { schemasAsOf } from './schemaAsOf.ts'
import type { ReadSession } from './session.ts'
import { allOf, term } from './sqlTerms.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** A slice of the schemas that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceSchemas(
  session: ReadSession,
  { filter: asked, ...request }: SliceRequest<SchemaFilter>,
  rowsMax: number,
): Promise<Slice<StoredSchema>> {
  const { connection: reads, cut } = session
  const filter = await schemasUpToCut(session, asked)
  const walk = filter && (await chooseSchemaWalk(session, filter))
  if (filter === null || walk === null) return { rows: [], hasMore: false, scannedTo: null }
  const select = schemaRows(reads.dialect)
  const rows = { ...select, columns: `s.position, ${select.columns}` }
  const presentRow = ([position, ...row]: [position: number, ...SchemaRow]) => {
    const schema = storedSchemaOfRow(reads.dialect, row)
    const { registerTimestamp, key } = schema
    return { ...schema, place: { timestamp: registerTimestamp, chainId: key.chainId, position } }
  }
  const range = { ...request, from: filter.registeredFrom, before: filter.registeredBefore }
  const slice = await sliceWalk(reads, walk, rows, presentRow, range, rowsMax)
  return cut === null ? slice : { ...slice, rows: await schemasAsOf(session, cut, slice.rows) }
}

/** The filter of the schemas that count; null if nothing can pass. */
export async function schemasUpToCut(
  { connection, cut }: ReadSession,
  filter: SchemaFilter,
): Promise<SchemaFilter | null> {
  if (cut === null) return filter
  const { chainId } = cut
  if (chainId !== null && filter.chainId !== null && filter.chainId !== chainId) return null
  const { before } = await placeOfCut(connection, cut, 'schema')
  const registeredBefore = Math.min(filter.registeredBefore ?? Infinity, before)
  return { ...filter, chainId: chainId ?? filter.chainId, registeredBefore }
}

/** The way to walk the schemas that pass a filter, always by one index; null if none can. */
export async function chooseSchemaWalk(
  { connection: reads, cut }: Pick<ReadSession, 'connection' | 'cut'>,
  filter: SchemaFilter,
): Promise<Walk | null> {
  if (!isStorable(filter.protocol)) return null
  const { registrant: by, resolver: through } = filter
  const hasResolver = through !== null && through !== zeroAddress
  const [registrant, resolver] = await Promise.all([
    by === null ? null : findAddress(reads, by),
    hasResolver ? findAddress(reads, through) : null,
  ])
  if ((by !== null && registrant === null) || (hasResolver && resolver === null)) return null

  const { dialect } = reads
  const arm =
    registrant !== null
      ? registrantArm(dialect, registrant.id)
      : resolver !== null
        ? schemaArm(dialect, 'schema_by_resolver', 's.resolver_id = ?', resolver.id)
        : filter.chainId !== null
          ? chainArm(dialect, filter.chainId)
          : everySchemaArm(dialect)

  const terms: SqlText[] = []
  const add = (sql: string, ...parameters: SqlInput[]) => terms.push(term(sql, ...parameters))
  if (registrant !== null && resolver !== null) {
    add(`${dialect.hidden('s.resolver_id', 'integer')} = ?`, resolver.id)
  }
  if (through === zeroAddress) add('s.resolver_id IS NULL')
  if (filter.chainId !== null && arm.chainId === null) {
    add(`${dialect.hidden('s.chain_id', 'integer')} = ?`, filter.chainId)
  }
  if (filter.protocol !== null) add('s.protocol = ?', filter.protocol)
  if (filter.revocable !== null) add(dialect.flag('s.revocable', filter.revocable))
  if (cut !== null) terms.push(beforeCut(dialect, 's.position', await placeOfCut(reads, cut, 'schema')))
  // Rows of schemas hold their position as it is.
  return { arms: [arm], condition: allOf(terms), orderValueOf: ({ position }) => position }
}

/** The schemas of a page of disjoint arms, newest first. */
export async function readSchemaPage(
  session: ReadSession,
  arms: readonly WalkArm[],
  bounds: PageBounds,
): Promise<StoredSchema[]> {
  const { connection: reads, cut } = session
  const rows = await readPage<SchemaRow>(reads, arms, bounds, schemaRows(reads.dialect))
  const newest = rows.map((row) => storedSchemaOfRow(reads.dialect, row))
  if (cut === null) return newest
  return await schemasAsOf(session, cut, newest)
}

/** The rows of a walk as `SchemaRow`. */
function schemaRows(dialect: Dialect): WalkedRows {
  const registered = dialect.flag('s.registered', true)
  return {
    columns: schemaColumns,
    joined: `schema s ON s.chain_id = m.c AND s.position = m.o AND ${registered}`,
    inWalk: true,
  }
}

export function everySchemaArm(dialect: Dialect): WalkArm {
  return schemaArm(dialect, 'schema_by_time', dialect.flag('s.registered', true))
}

export function registrantArm(dialect: Dialect, registrantId: number): WalkArm {
  const registered = dialect.flag('s.registered', true)
  return schemaArm(dialect, 'schema_by_registrant', `s.registrant_id = ? AND ${registered}`, registrantId)
}

/** The schemas that an address is the resolver of without having registered them. */
export function otherResolverArm(dialect: Dialect, resolverId: number): WalkArm {
  const condition = 's.resolver_id = ? AND s.resolver_id <> s.registrant_id'
  return schemaArm(dialect, 'schema_by_other_resolver', condition, resolverId)
}

type SchemaIndex =
  | 'schema_by_time'
  | 'schema_by_registrant'
  | 'schema_by_resolver'
  | 'schema_by_other_resolver'
  | 'schema_by_chain'

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
    condition: term(condition, ...parameters),
    chainId: null,
    chainInKey: true,
    rowCondition: null,
  }
}

function chainArm(dialect: Dialect, chainId: number): WalkArm {
  const condition = `s.chain_id = ? AND ${dialect.flag('s.registered', true)}`
  return { ...schemaArm(dialect, 'schema_by_chain', condition, chainId), chainId, chainInKey: false }
}
