import type { Address } from '../../model/hex.ts'
import type { Page, PageRequest, SchemaQuery, StoredSchema } from '../indexReader.ts'
import { exactClassMax } from '../layout/countClass.ts'
import { listKind } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import type { SqlInput } from './connection.ts'
import { listSchemasByKeyword } from './keywordSchemas.ts'
import { pageBounds, type CountedList } from './locateOffset.ts'
import { findOnce } from '../reading/session.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

export async function listSchemas(session: ReadSession, query: SchemaQuery): Promise<Page<StoredSchema>> {
  if (query.keyword !== null) return await listSchemasByKeyword(session, query.keyword, query)
  const list = { kind: listKind.schemas, ownerId: 0, scopeId: 0 }
  return await readPage(session, { list, count: session.snapshot.schemaCount }, query, 'true', [])
}

export async function listSchemasOfRegistrant(
  session: ReadSession,
  registrant: Address,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const address = await findAddress(session.connection, registrant)
  if (address === null) return { total: 0, rows: [] }
  const list = { kind: listKind.schemasOfRegistrant, ownerId: address.id, scopeId: 0 }
  const counted = { list, count: address.schemasCreated }
  return await readPage(session, counted, request, 's.registrant_id = ?', [address.id])
}

/** The registered schemas with most attestations, the earliest first among equals; remembered until the version moves. */
export function listTopSchemas(session: ReadSession, limit: number): Promise<readonly StoredSchema[]> {
  return findOnce(session.memo.top, limit, () => findTopSchemas(session, limit))
}

/**
 * The first of the index are those of the highest classes, and within a class of one count they are in their order. Where the last of them is
 * of a class of several counts, any other of that class may come before it: these are sorted, and no others.
 */
async function findTopSchemas({ connection }: ReadSession, limit: number): Promise<StoredSchema[]> {
  const rows = await connection.all<SchemaRow>(
    'WITH walked AS MATERIALIZED (SELECT id, count_class FROM schema WHERE registered ' +
      'ORDER BY count_class DESC, register_timestamp, chain_id, position LIMIT ?), ' +
      'last AS MATERIALIZED (SELECT min(count_class) AS class FROM walked), ' +
      'chosen AS (SELECT id FROM walked UNION ALL (SELECT id FROM schema ' +
      `WHERE registered AND count_class = (SELECT class FROM last) AND (SELECT class FROM last) > ${exactClassMax} ` +
      'ORDER BY attestation_count DESC, register_timestamp, chain_id, position LIMIT ?)) ' +
      `SELECT ${schemaColumns} FROM schema s WHERE s.id = ANY(ARRAY(SELECT id FROM chosen)) ` +
      'ORDER BY s.attestation_count DESC, s.register_timestamp, s.chain_id, s.position LIMIT ?',
    limit,
    limit,
    limit,
  )
  return rows.map(storedSchemaOfRow)
}

async function readPage(
  session: ReadSession,
  counted: CountedList,
  request: PageRequest,
  condition: string,
  parameters: readonly SqlInput[],
): Promise<Page<StoredSchema>> {
  const total = counted.count
  const bounds = await pageBounds(session, [counted], total, request)
  if (bounds === null) return { total, rows: [] }
  const rows = await session.connection.all<SchemaRow>(
    `SELECT ${schemaColumns} FROM schema s WHERE s.registered AND ${condition} AND s.register_timestamp <= ? ` +
      'ORDER BY s.register_timestamp DESC, s.chain_id DESC, s.position DESC LIMIT ? OFFSET ?',
    ...parameters,
    bounds.maxTimestamp,
    bounds.limit,
    bounds.skip,
  )
  return { total, rows: rows.map(storedSchemaOfRow) }
}
