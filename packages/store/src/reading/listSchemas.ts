import type { Address } from '@attestry/core/model/hex.ts'
import type { Page, PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { exactClassMax } from '../layout/countClass.ts'
import { listKind } from '../layout/listKinds.ts'
import { perDialect } from '../port/dialect.ts'
import { findAddress } from './addressLists.ts'
import { findPage } from './countAsOf.ts'
import type { CountedList } from './locateOffset.ts'
import type { WalkArm } from './rowWalk.ts'
import { findOnce, type ReadSession } from './session.ts'
import { everySchemaArm, readSchemaPage, registrantArm } from './sliceSchemas.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * A page of all registered schemas, or of those of one registrant; null if the list includes chains outside the cut.
 */
export async function listSchemasByRank(
  session: ReadSession,
  registrant: Address | null,
  request: PageRequest,
): Promise<Page<StoredSchema> | null> {
  if (session.cut !== null && session.cut.chainId !== null) return null
  return registrant === null
    ? await listSchemas(session, request)
    : await listSchemasOfRegistrant(session, registrant, request)
}

function listSchemas(session: ReadSession, request: PageRequest): Promise<Page<StoredSchema>> {
  const list = { kind: listKind.schemas, ownerId: 0, scopeId: 0 }
  const counted = { list, count: session.snapshot.schemaCount }
  return readPage(session, counted, request, everySchemaArm(session.connection.dialect))
}

async function listSchemasOfRegistrant(
  session: ReadSession,
  registrant: Address,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const address = await findAddress(session.connection, registrant)
  if (address === null) return { total: 0, rows: [] }
  const list = { kind: listKind.schemasOfRegistrant, ownerId: address.id, scopeId: 0 }
  const counted = { list, count: address.schemasCreated }
  return await readPage(session, counted, request, registrantArm(session.connection.dialect, address.id))
}

/**
 * The registered schemas with most attestations, the earliest first among equals; remembered until the version moves.
 */
export function listTopSchemas(session: ReadSession, limit: number): Promise<readonly StoredSchema[]> {
  return findOnce(session.memo.top, limit, () => findTopSchemas(session, limit))
}

async function findTopSchemas({ connection }: ReadSession, limit: number): Promise<StoredSchema[]> {
  const { dialect } = connection
  const rows = await connection.all<SchemaRow>(topSql(dialect), limit, limit, limit)
  return rows.map((row) => storedSchemaOfRow(dialect, row))
}

/**
 * The index begins with the schemas of the highest classes; within a class of one count they are in their order. If the
 * last of them is of a class of several counts, any other schema of that class may come before it: only that class is
 * sorted.
 */
const topSql = perDialect((dialect) => {
  const registered = dialect.flag('registered', true)
  const { bound } = dialect
  return (
    `WITH walked AS MATERIALIZED (SELECT id, count_class FROM schema WHERE ${registered} ` +
    `ORDER BY count_class DESC, register_timestamp, chain_id, position LIMIT ${bound}), ` +
    'last AS MATERIALIZED (SELECT min(count_class) AS class FROM walked), ' +
    `of_last AS (SELECT id FROM schema WHERE ${registered} ` +
    `AND count_class = (SELECT class FROM last) AND (SELECT class FROM last) > ${exactClassMax} ` +
    `ORDER BY attestation_count DESC, register_timestamp, chain_id, position LIMIT ${bound}), ` +
    'chosen AS (SELECT id FROM walked UNION ALL SELECT id FROM of_last) ' +
    `SELECT ${schemaColumns} FROM schema s WHERE ${dialect.among('s.id', 'SELECT id FROM chosen')} ` +
    `ORDER BY s.attestation_count DESC, s.register_timestamp, s.chain_id, s.position LIMIT ${bound}`
  )
})

async function readPage(
  session: ReadSession,
  counted: CountedList,
  request: PageRequest,
  arm: WalkArm,
): Promise<Page<StoredSchema>> {
  const { total, bounds } = await findPage(session, [counted], request)
  const rows = bounds === null ? [] : await readSchemaPage(session, [arm], bounds)
  return { total, rows }
}
