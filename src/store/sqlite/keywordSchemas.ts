import type { SQLInputValue } from 'node:sqlite'
import type { ClassifiedKeyword } from '../../model/keyword.ts'
import type { Page, PageRequest, SearchGroup, StoredSchema } from '../indexReader.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { findAddress } from './addressLists.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** The schemas that a keyword finds, in the order of the listing. */
export function listSchemasByKeyword(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  request: PageRequest,
): Page<StoredSchema> {
  const offset = (request.page - 1) * request.size
  return readMatches(session, keyword, newestFirst, request.size, offset)
}

/**
 * The best of them: exact ids before prefixes; of texts an equal name, a name that begins with it, one that contains it, a
 * description that does, and among equals the most attested; else the order of the listing.
 */
export function searchSchemas(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  limit: number,
): SearchGroup<StoredSchema> {
  return readMatches(
    session,
    keyword,
    `m.rank, iif(m.rank >= ${textRank}, s.attestation_count, 0) DESC, ${newestFirst}`,
    limit,
    0,
  )
}

const newestFirst = 's.register_timestamp DESC, s.chain_id DESC, s.position DESC'

/** Ranks from here on are those of texts. */
const textRank = 2

interface Match {
  /** Selects `id` and `rank` of registered schemas; one may occur twice. */
  readonly sql: string
  readonly parameters: readonly SQLInputValue[]
}

function readMatches(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  order: string,
  limit: number,
  offset: number,
): { readonly total: number; readonly rows: readonly StoredSchema[] } {
  const matches = matchesOf(session, keyword)
  if (matches.length === 0) return { total: 0, rows: [] }
  const parameters = matches.flatMap((match) => match.parameters)
  const found = `WITH m AS MATERIALIZED (SELECT id, min(rank) AS rank FROM (${matches
    .map((match) => match.sql)
    .join(' UNION ALL ')}) GROUP BY id)`
  const { connection } = session
  const total = connection.statement<[number]>(`${found} SELECT count(*) FROM m`).get(...parameters)?.[0] ?? 0
  if (offset >= total) return { total, rows: [] }
  const rows = connection
    .statement<SchemaRow>(
      `${found} SELECT ${schemaColumns} FROM m CROSS JOIN schema s ON s.id = m.id ORDER BY ${order} LIMIT +? OFFSET +?`,
    )
    .all(...parameters, limit, offset)
  return { total, rows: rows.map(storedSchemaOfRow) }
}

function matchesOf(session: ReadSession, keyword: ClassifiedKeyword): Match[] {
  const { target } = keyword
  switch (target.kind) {
    case 'compositeId':
      if (target.key === null) return []
      return [match(0, 'local_id = ? AND chain_id = ?', target.key.localId.slice(2), target.key.chainId)]
    case 'address': {
      const address = findAddress(session, target.address)
      if (address === null) return []
      return [match(0, 'registrant_id = ?', address.id), match(0, 'resolver_id = ?', address.id)]
    }
    case 'hash':
      return [
        match(0, 'local_id = ?', target.hash.slice(2)),
        match(0, 'transaction_key = ? AND transaction_hash = ?', transactionKey(target.hash), target.hash),
      ]
    case 'hexPrefix':
      if (target.digits === '') return []
      return [
        match(0, 'local_id = ?', target.digits),
        match(1, 'local_id > ? AND local_id < ?', target.digits, `${target.digits}g`),
      ]
    case 'number':
      return [
        ...(target.localId === null ? [] : [match(0, 'local_id = ?', target.localId.slice(2))]),
        textMatch(target.folded),
      ]
    case 'text':
      return [textMatch(target.folded)]
  }
}

function match(rank: number, condition: string, ...parameters: readonly SQLInputValue[]): Match {
  return { sql: `SELECT id, ${rank} AS rank FROM schema WHERE registered = 1 AND ${condition}`, parameters }
}

/** Terms of fewer characters have no trigram; for them every schema is looked at. */
const trigramLength = 3

/** Schemas whose name or description contains the folded text; the trigram index narrows them down, `instr` decides. */
function textMatch(folded: string): Match {
  const text = folded.toWellFormed()
  const rank =
    `CASE WHEN name_folded = ? THEN ${textRank} WHEN instr(name_folded, ?) = 1 THEN ${textRank + 1} ` +
    `WHEN instr(name_folded, ?) > 0 THEN ${textRank + 2} ELSE ${textRank + 3} END`
  const contains = '(instr(name_folded, ?) > 0 OR instr(description_folded, ?) > 0)'
  if ([...text].length < trigramLength) {
    return {
      sql: `SELECT id, ${rank} AS rank FROM schema WHERE registered = 1 AND ${contains}`,
      parameters: [text, text, text, text, text],
    }
  }
  return {
    sql:
      `SELECT id, ${rank} AS rank FROM schema WHERE registered = 1 AND ${contains} ` +
      'AND id IN (SELECT rowid FROM schema_text WHERE schema_text MATCH ?)',
    parameters: [text, text, text, text, text, phrase(text)],
  }
}

/** A phrase in quotes, with quotes doubled, is the one form that FTS5 does not read as an expression; NUL as in the index. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('\0', ' ')}"`
}
