import type { SQLInputValue } from 'node:sqlite'
import type { ClassifiedKeyword } from '../../model/keyword.ts'
import type { Page, PageRequest, SearchGroup, StoredSchema } from '../indexReader.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { isHeavy } from '../layout/readMemo.ts'
import { listSchemasByAddress } from './listSchemasByAddress.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'
import { textMatch, textRank, type SchemaMatch } from './textMatch.ts'

/** The schemas that a keyword finds, in the order of the listing. */
export function listSchemasByKeyword(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  request: PageRequest,
): Page<StoredSchema> {
  if (keyword.target.kind === 'address') return listSchemasByAddress(session, keyword.target.address, request)
  return readMatches(session, keyword, newestFirst, request)
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
  const request = { page: 1, size: limit }
  if (keyword.target.kind === 'address') return listSchemasByAddress(session, keyword.target.address, request)
  return readMatches(session, keyword, bestFirst, request)
}

const newestFirst = 't DESC, c DESC, p DESC'
const bestFirst = `rank, iif(rank >= ${textRank}, attestations, 0) DESC, ${newestFirst}`

function readMatches(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  order: string,
  request: PageRequest,
): Page<StoredSchema> {
  const { heavySchemas } = session.memo
  const key = `${order} ${request.page} ${request.size} ${keyword.text}`
  const known = heavySchemas.get(key)
  if (known !== undefined) return known
  const page = gatherMatches(session, matchesOf(session, keyword), order, request)
  if (isHeavy(page)) heavySchemas.set(key, page)
  return page
}

/** What is found is gathered once, for its number and for the page; wide rows are read for the page alone. */
function gatherMatches(
  { connection }: ReadSession,
  matches: readonly SchemaMatch[],
  order: string,
  { page, size }: PageRequest,
): Page<StoredSchema> {
  if (matches.length === 0) return { total: 0, rows: [] }
  const parameters = matches.flatMap((match) => match.parameters)
  const found = `WITH m AS MATERIALIZED (${matches.map(selectMatch).join(' UNION ALL ')})`
  const rows = connection
    .statement<[total: number, ...SchemaRow]>(
      `${found} SELECT (SELECT count(*) FROM m), ${schemaColumns} FROM ` +
        `(SELECT * FROM m ORDER BY ${order} LIMIT +? OFFSET +?) k CROSS JOIN schema s ON s.id = k.id ORDER BY ${order}`,
    )
    .all(...parameters, size, (page - 1) * size)
  const total = rows[0]?.[0]
  if (total !== undefined) return { total, rows: rows.map(([, ...row]) => storedSchemaOfRow(row)) }
  if (page === 1 && size > 0) return { total: 0, rows: [] }
  const count = connection.statement<[number]>(`${found} SELECT count(*) FROM m`).get(...parameters)
  return { total: count?.[0] ?? 0, rows: [] }
}

function selectMatch({ from, rank, condition }: SchemaMatch): string {
  return (
    `SELECT id, ${rank} AS rank, attestation_count AS attestations, register_timestamp AS t, chain_id AS c, position AS p ` +
    `FROM ${from} WHERE registered = 1 AND ${condition}`
  )
}

/** What a keyword finds as disjoint selects. */
function matchesOf(session: ReadSession, { target }: ClassifiedKeyword): SchemaMatch[] {
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
      const text = textMatch(session, target.folded)
      if (target.localId === null) return [text]
      const localId = target.localId.slice(2)
      const others = {
        ...text,
        condition: `${text.condition} AND local_id <> ?`,
        parameters: [...text.parameters, localId],
      }
      return [match(0, 'local_id = ?', localId), others]
    }
    case 'text':
      return [textMatch(session, target.folded)]
  }
}

function match(rank: number, condition: string, ...parameters: readonly SQLInputValue[]): SchemaMatch {
  return { from: 'schema', rank: String(rank), condition, parameters }
}
