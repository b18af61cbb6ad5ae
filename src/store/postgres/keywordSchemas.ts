import type { ClassifiedKeyword } from '../../model/keyword.ts'
import type { Page, PageRequest, SearchGroup, StoredSchema } from '../indexReader.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { findAddress } from './addressLists.ts'
import type { SqlInput } from './connection.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** The schemas that a keyword finds, in the order of the listing. */
export async function listSchemasByKeyword(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const offset = (request.page - 1) * request.size
  return await readMatches(session, keyword, newestFirst, request.size, offset)
}

/**
 * The best of them: exact ids before prefixes; of texts an equal name, a name that begins with it, one that contains it, a
 * description that does, and among equals the most attested; else the order of the listing.
 */
export async function searchSchemas(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  limit: number,
): Promise<SearchGroup<StoredSchema>> {
  const order = `m.rank, CASE WHEN m.rank >= ${textRank} THEN s.attestation_count ELSE 0 END DESC, ${newestFirst}`
  return await readMatches(session, keyword, order, limit, 0)
}

const newestFirst = 's.register_timestamp DESC, s.chain_id DESC, s.position DESC'

/** Ranks from here on are those of texts. */
const textRank = 2

interface Match {
  /** Selects `id` and `rank` of registered schemas; one may occur twice. */
  readonly sql: string
  readonly parameters: readonly SqlInput[]
}

async function readMatches(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  order: string,
  limit: number,
  offset: number,
): Promise<{ readonly total: number; readonly rows: readonly StoredSchema[] }> {
  const { connection } = session
  const matches = await matchesOf(session, keyword)
  if (matches.length === 0) return { total: 0, rows: [] }
  const parameters = matches.flatMap((match) => match.parameters)
  const found = `WITH m AS MATERIALIZED (SELECT id, min(rank) AS rank FROM (${matches
    .map((match) => match.sql)
    .join(' UNION ALL ')}) AS u GROUP BY id)`
  const [count, rows] = await Promise.all([
    connection.get<[number]>(`${found} SELECT count(*) FROM m`, ...parameters),
    connection.all<SchemaRow>(
      `${found} SELECT ${schemaColumns} FROM m JOIN schema s ON s.id = m.id ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...parameters,
      limit,
      offset,
    ),
  ])
  return { total: count?.[0] ?? 0, rows: rows.map(storedSchemaOfRow) }
}

async function matchesOf({ connection }: ReadSession, keyword: ClassifiedKeyword): Promise<Match[]> {
  const { target } = keyword
  switch (target.kind) {
    case 'compositeId':
      if (target.key === null) return []
      return [match(0, 'local_id = ? AND chain_id = ?', target.key.localId.slice(2), target.key.chainId)]
    case 'address': {
      const address = await findAddress(connection, target.address)
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

function match(rank: number, condition: string, ...parameters: readonly SqlInput[]): Match {
  return { sql: `SELECT id, ${rank} AS rank FROM schema WHERE registered AND ${condition}`, parameters }
}

/**
 * Schemas whose name or description contains the folded text. `LIKE` is what a trigram index understands, and means just that, with
 * or without one; which terms the index helps with (three letters or digits in a row) is its own affair.
 */
function textMatch(folded: string): Match {
  const text = folded.toWellFormed().replaceAll('\0', nulInText)
  const rank =
    `CASE WHEN name = ? THEN ${textRank} WHEN starts_with(name, ?) THEN ${textRank + 1} ` +
    `WHEN strpos(name, ?) > 0 THEN ${textRank + 2} ELSE ${textRank + 3} END`
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return {
    sql: `SELECT schema_id AS id, ${rank} AS rank FROM schema_text WHERE name LIKE ? OR description LIKE ?`,
    parameters: [text, text, text, pattern, pattern],
  }
}

/** What stands in the place of a NUL where texts are searched; see `searchText` of the writer. */
const nulInText = '\uffff'
