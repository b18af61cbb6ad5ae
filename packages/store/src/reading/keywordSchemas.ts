import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { Page, PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import type { TextMatch } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import { listSchemasByAddress } from './listSchemasByAddress.ts'
import { isRecord, recordParameters } from './recordKeys.ts'
import type { ReadSession } from './session.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * The schemas that a keyword finds: newest first, or the best first. Exact ids come before prefixes. Texts are ranked:
 * an equal name, a name that begins with the text, a name that contains it, a description that contains it. Among
 * equals the most attested schema comes first. Otherwise the order is that of the listing.
 */
export async function findSchemasByKeyword(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  first: keyof typeof orders,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const { target } = keyword
  if (target.kind === 'address') return await listSchemasByAddress(session, target.address, request)
  return await readMatches(session, keyword, orders[first], request)
}

/** Ranks of texts begin here; those of ids are 0 and 1. */
const textRank = 2

const newestFirst = 't DESC, c DESC, p DESC'
const bestFirst = `rank, CASE WHEN rank >= ${textRank} THEN attestations ELSE 0 END DESC, ${newestFirst}`
const orders = { newest: newestFirst, best: bestFirst } as const

/** Gathers the matches once, for their number and for the page. Wide rows are read only for the page. */
async function readMatches(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  order: string,
  { page, size }: PageRequest,
): Promise<Page<StoredSchema>> {
  const matches = await matchesOf(session, keyword)
  if (matches.length === 0) return { total: 0, rows: [] }
  const { connection } = session
  const { dialect } = connection
  const { bound, drivenJoin } = dialect
  const parameters = matches.flatMap((match) => match.parameters)
  const found = `WITH m AS MATERIALIZED (${matches.map((match) => match.sql).join(' UNION ALL ')})`
  const rows = await connection.all<[total: number, ...SchemaRow]>(
    `${found} SELECT (SELECT count(*) FROM m), ${schemaColumns} FROM ` +
      `(SELECT * FROM m ORDER BY ${order} LIMIT ${bound} OFFSET ${bound}) AS k ` +
      `${drivenJoin} schema s ON s.id = k.id ORDER BY ${order}`,
    ...parameters,
    size,
    (page - 1) * size,
  )
  const total = rows[0]?.[0]
  if (total !== undefined) return { total, rows: rows.map(([, ...row]) => storedSchemaOfRow(dialect, row)) }
  if (page === 1 && size > 0) return { total: 0, rows: [] }
  const count = await connection.get<[number]>(`${found} SELECT count(*) FROM m`, ...parameters)
  return { total: count?.[0] ?? 0, rows: [] }
}

/** The matches of a keyword, as disjoint selects of the columns that pages are ordered by. */
async function matchesOf(session: ReadSession, { target }: ClassifiedKeyword): Promise<SqlText[]> {
  const { dialect } = session.connection
  const registered = dialect.flag('e.registered', true)
  const match = (rank: number, condition: string, ...parameters: SqlInput[]) => ({
    sql: selectMatch({ from: 'schema e', rank: String(rank), condition: `${registered} AND ${condition}` }),
    parameters,
  })
  switch (target.kind) {
    case 'compositeId': {
      if (target.key === null) return []
      return [match(0, isRecord(dialect, 'e'), ...recordParameters(target.key))]
    }
    case 'address':
      return []
    case 'hash': {
      const { hash } = target
      const isTransaction = 'e.transaction_key = ? AND e.transaction_hash = ? AND e.local_id <> ?'
      return [
        match(0, 'e.local_id = ?', hash.slice(2)),
        match(0, isTransaction, transactionKey(hash), hash, hash.slice(2)),
      ]
    }
    case 'hexPrefix':
      if (target.digits === '') return []
      return [
        match(0, 'e.local_id = ?', target.digits),
        match(1, 'e.local_id > ? AND e.local_id < ?', target.digits, `${target.digits}g`),
      ]
    case 'number': {
      if (target.localId === null) return [await matchText(session, target.folded)]
      const localId = target.localId.slice(2)
      const text = await matchText(session, target.folded)
      const others = { sql: `${text.sql} AND e.local_id <> ?`, parameters: [...text.parameters, localId] }
      return [match(0, 'e.local_id = ?', localId), others]
    }
    case 'text':
      return [await matchText(session, target.folded)]
  }
}

async function matchText({ connection, snapshot }: ReadSession, folded: string): Promise<SqlText> {
  const match = await connection.dialect.matchText(connection, folded, snapshot.schemaCount)
  const rank =
    `CASE ${match.placeInName} WHEN 0 THEN ${textRank + 3} ` +
    `WHEN 1 THEN CASE WHEN ${match.name} = ? THEN ${textRank} ELSE ${textRank + 1} END ELSE ${textRank + 2} END`
  return {
    sql: selectMatch({ ...match, rank }),
    parameters: [match.text, match.text, ...match.parameters],
  }
}

function selectMatch({ from, condition, rank }: Pick<TextMatch, 'from' | 'condition'> & { rank: string }) {
  return (
    `SELECT e.id, ${rank} AS rank, e.attestation_count AS attestations, e.register_timestamp AS t, e.chain_id AS c, ` +
    `e.position AS p FROM ${from} WHERE ${condition}`
  )
}
