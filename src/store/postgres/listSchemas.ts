import type { Address } from '../../model/hex.ts'
import type { Page, PageRequest, SchemaQuery, StoredSchema } from '../indexReader.ts'
import { listKind } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import type { Connection, SqlInput } from './connection.ts'
import { listSchemasByKeyword } from './keywordSchemas.ts'
import { pageBounds, type CountedList } from './locateOffset.ts'
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

export async function listTopSchemas(connection: Connection, limit: number): Promise<StoredSchema[]> {
  const rows = await connection.all<SchemaRow>(
    `SELECT ${schemaColumns} FROM schema s WHERE s.registered ` +
      'ORDER BY s.attestation_count DESC, s.register_timestamp, s.chain_id, s.position LIMIT ?',
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
