import type { ClassifiedKeyword } from '../../model/keyword.ts'
import type { Page, PageRequest, SearchGroup, StoredSchema } from '../indexReader.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { isHeavy } from '../layout/readMemo.ts'
import type { SqlInput } from './connection.ts'
import { listSchemasByAddress } from '../reading/listSchemasByAddress.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** The schemas that a keyword finds, in the order of the listing. */
export async function listSchemasByKeyword(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const { target } = keyword
  if (target.kind === 'address') return await listSchemasByAddress(session, target.address, request)
  return await readMatches(session, keyword, newestFirst, request)
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
  const { target } = keyword
  const request = { page: 1, size: limit }
  if (target.kind === 'address') return await listSchemasByAddress(session, target.address, request)
  return await readMatches(session, keyword, bestFirst, request)
}

/** Ranks from here on are those of texts. */
const textRank = 2

const newestFirst = 't DESC, c DESC, p DESC'
const bestFirst = `rank, CASE WHEN rank >= ${textRank} THEN attestations ELSE 0 END DESC, ${newestFirst}`

interface Match {
  /** Selects `id` and `rank` of registered schemas. */
  readonly sql: string
  readonly parameters: readonly SqlInput[]
}

async function readMatches(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  order: string,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const { heavySchemas } = session.memo
  const key = `${order} ${request.page} ${request.size} ${keyword.text}`
  const known = heavySchemas.get(key)
  if (known !== undefined) return known
  const page = await gatherMatches(session, matchesOf(keyword), order, request)
  if (isHeavy(page)) heavySchemas.set(key, page)
  return page
}

/** What is found is gathered once, for its number and for the page; wide rows are read for the page alone. */
async function gatherMatches(
  { connection }: ReadSession,
  matches: readonly Match[],
  order: string,
  { page, size }: PageRequest,
): Promise<Page<StoredSchema>> {
  if (matches.length === 0) return { total: 0, rows: [] }
  const parameters = matches.flatMap((match) => match.parameters)
  const found = `WITH m AS MATERIALIZED (${matches.map((match) => match.sql).join(' UNION ALL ')})`
  const rows = await connection.all<[total: number, ...SchemaRow]>(
    `${found} SELECT (SELECT count(*) FROM m), ${schemaColumns} FROM (SELECT * FROM m ORDER BY ${order} LIMIT ? OFFSET ?) AS k ` +
      `JOIN schema s ON s.id = k.id ORDER BY ${order}`,
    ...parameters,
    size,
    (page - 1) * size,
  )
  const total = rows[0]?.[0]
  if (total !== undefined) return { total, rows: rows.map(([, ...row]) => storedSchemaOfRow(row)) }
  if (page === 1 && size > 0) return { total: 0, rows: [] }
  const count = await connection.get<[number]>(`${found} SELECT count(*) FROM m`, ...parameters)
  return { total: count?.[0] ?? 0, rows: [] }
}

/** What a keyword finds as disjoint selects. */
function matchesOf({ target }: ClassifiedKeyword): Match[] {
  switch (target.kind) {
    case 'compositeId':
      if (target.key === null) return []
      return [match(0, 'local_id = ? AND chain_id = ?', target.key.localId.slice(2), target.key.chainId)]
    case 'address':
      return []
    case 'hash': {
      const { hash } = target
      const isTransaction = 'transaction_key = ? AND transaction_hash = ? AND local_id <> ?'
      return [
        match(0, 'local_id = ?', hash.slice(2)),
        match(0, isTransaction, transactionKey(hash), hash, hash.slice(2)),
      ]
    }
    case 'hexPrefix':
      if (target.digits === '') return []
      return [
        match(0, 'local_id = ?', target.digits),
        match(1, 'local_id > ? AND local_id < ?', target.digits, `${target.digits}g`),
      ]
    case 'number': {
      const text = textMatch(target.folded)
      if (target.localId === null) return [text]
      const localId = target.localId.slice(2)
      const others = { sql: `${text.sql} AND local_id <> ?`, parameters: [...text.parameters, localId] }
      return [match(0, 'local_id = ?', localId), others]
    }
    case 'text':
      return [textMatch(target.folded)]
  }
}

/** What a page is ordered by. */
const keyColumns =
  'e.attestation_count AS attestations, e.register_timestamp AS t, e.chain_id AS c, e.position AS p'

function match(rank: number, condition: string, ...parameters: readonly SqlInput[]): Match {
  return {
    sql: `SELECT e.id, ${rank} AS rank, ${keyColumns} FROM schema e WHERE registered AND ${condition}`,
    parameters,
  }
}

/**
 * Schemas whose name or description contains the folded text. `LIKE` is what a trigram index understands, and means just that, with
 * or without one; which terms the index helps with (three letters or digits in a row) is its own affair.
 */
function textMatch(folded: string): Match {
  const text = folded.toWellFormed().replaceAll('\0', nulInText)
  const rank =
    `CASE WHEN t.name = ? THEN ${textRank} WHEN starts_with(t.name, ?) THEN ${textRank + 1} ` +
    `WHEN strpos(t.name, ?) > 0 THEN ${textRank + 2} ELSE ${textRank + 3} END`
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return {
    sql:
      `SELECT e.id, ${rank} AS rank, ${keyColumns} FROM schema_text t JOIN schema e ON e.id = t.schema_id ` +
      'WHERE (t.name LIKE ? OR t.description LIKE ?)',
    parameters: [text, text, text, pattern, pattern],
  }
}

/** What stands in the place of a NUL where texts are searched; see `searchText` of the writer. */
const nulInText = '\uffff'
