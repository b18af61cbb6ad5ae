import type { SQLInputValue } from 'node:sqlite'
import type { Address } from '../../model/hex.ts'
import type { Page, PageRequest, SchemaQuery, StoredSchema } from '../indexReader.ts'
import { exactClassMax } from '../layout/countClass.ts'
import { listKind } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import { listSchemasByKeyword } from './keywordSchemas.ts'
import { pageBounds, type CountedList } from './locateOffset.ts'
import { findOnce } from '../reading/session.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

export function listSchemas(session: ReadSession, query: SchemaQuery): Page<StoredSchema> {
  if (query.keyword !== null) return listSchemasByKeyword(session, query.keyword, query)
  const list = { kind: listKind.schemas, ownerId: 0, scopeId: 0 }
  return readPage(session, { list, count: session.snapshot.schemaCount }, query, 'true', [])
}

export function listSchemasOfRegistrant(
  session: ReadSession,
  registrant: Address,
  request: PageRequest,
): Page<StoredSchema> {
  const address = findAddress(session, registrant)
  if (address === null) return { total: 0, rows: [] }
  const list = { kind: listKind.schemasOfRegistrant, ownerId: address.id, scopeId: 0 }
  const counted = { list, count: address.schemasCreated }
  return readPage(session, counted, request, 's.registrant_id = ?', [address.id])
}

/** The registered schemas with most attestations, the earliest first among equals; remembered until the version moves. */
export function listTopSchemas(session: ReadSession, limit: number): Promise<readonly StoredSchema[]> {
  return findOnce(session.memo.top, limit, async () => findTopSchemas(session, limit))
}

/**
 * The first of the index are those of the highest classes, and within a class of one count they are in their order. Where the last of them is
 * of a class of several counts, any other of that class may come before it: these are sorted, and no others.
 */
function findTopSchemas(session: ReadSession, limit: number): StoredSchema[] {
  const walked = session.connection
    .statement<[id: number, countClass: number]>(
      'SELECT id, count_class FROM schema WHERE registered = 1 ' +
        'ORDER BY count_class DESC, register_timestamp, chain_id, position LIMIT +?',
    )
    .all(limit)
  const lastClass = walked.at(-1)?.[1] ?? 0
  const ofLastClass =
    lastClass <= exactClassMax
      ? []
      : session.connection
          .statement<[id: number]>(
            'SELECT id FROM schema WHERE registered = 1 AND count_class = ? ' +
              'ORDER BY attestation_count DESC, register_timestamp, chain_id, position LIMIT +?',
          )
          .all(lastClass, limit)
  return session.connection
    .statement<SchemaRow>(
      `SELECT ${schemaColumns} FROM schema s WHERE s.id IN (SELECT value FROM json_each(?)) ` +
        'ORDER BY s.attestation_count DESC, s.register_timestamp, s.chain_id, s.position LIMIT +?',
    )
    .all(JSON.stringify([...walked, ...ofLastClass].map(([id]) => id)), limit)
    .map(storedSchemaOfRow)
}

function readPage(
  session: ReadSession,
  counted: CountedList,
  request: PageRequest,
  condition: string,
  parameters: readonly SQLInputValue[],
): Page<StoredSchema> {
  const total = counted.count
  const bounds = pageBounds(session, [counted], total, request)
  if (bounds === null) return { total, rows: [] }
  const rows = session.connection
    .statement<SchemaRow>(
      `SELECT ${schemaColumns} FROM schema s WHERE s.registered = 1 AND ${condition} AND s.register_timestamp <= ? ` +
        'ORDER BY s.register_timestamp DESC, s.chain_id DESC, s.position DESC LIMIT +? OFFSET +?',
    )
    .all(...parameters, bounds.maxTimestamp, bounds.limit, bounds.skip)
    .map(storedSchemaOfRow)
  return { total, rows }
}
