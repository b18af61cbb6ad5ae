import type { ChainId } from '../../model/compositeId.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import { attestationJson } from '../port/attestationJson.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import type { ReadSession } from './session.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestations,
  type AttestationRow,
} from './storedAttestation.ts'

/** One ordered walk over attestations. Walks of one page are disjoint; the page merges them. */
export interface AttestationWalk {
  /** The table that is walked, of attestations or of postings; it has the columns `attest_timestamp` and `id`. */
  readonly table: string
  /** The condition on its rows; ends so that another one can follow. */
  readonly condition: string
  readonly parameters: readonly SqlInput[]
  /** The chain where the walk stays on one and its index does not hold the chain; null: the column `chain_id`. */
  readonly chainId: ChainId | null
}

export interface PageBounds {
  readonly maxTimestamp: number
  readonly limit: number
  readonly skip: number
}

/** The attestations of a page, newest first. */
export async function readAttestationPage(
  session: ReadSession,
  walks: readonly AttestationWalk[],
  bounds: PageBounds,
  fields: AttestationFields,
): Promise<StoredAttestation[]> {
  if (walks.length === 0) return []
  const { connection } = session
  const { dialect } = connection
  const columns = attestationColumns(dialect, fields)
  const { sql, parameters } = pageSql(dialect, walks, bounds, columns, schemaJoin(dialect, fields))
  return await storedAttestations(session, await connection.all<AttestationRow>(sql, ...parameters), fields)
}

/** The same page as the text of a JSON array of summaries. */
export async function readSummaryPage(
  { connection }: ReadSession,
  walks: readonly AttestationWalk[],
  bounds: PageBounds,
): Promise<string> {
  if (walks.length === 0) return '[]'
  const { dialect } = connection
  const { sql, parameters } = pageSql(dialect, walks, bounds, attestationJson(dialect).summary, '')
  let text = ''
  for (const [summaryJson] of await connection.all<[string]>(sql, ...parameters)) {
    text += text === '' ? `{${summaryJson}}` : `,{${summaryJson}}`
  }
  return `[${text}]`
}

/**
 * The walks merged in the order of listings, a page cut out, and its rows fetched: an entry that is skipped costs a
 * step in an index. The chain is left out of the order where all walks stay on one.
 */
function pageSql(
  dialect: Dialect,
  walks: readonly AttestationWalk[],
  bounds: PageBounds,
  columns: string,
  join: string,
): SqlText {
  const [first] = walks
  return walks.length === 1 && first?.table === 'attestation' && dialect.readsRowsInWalk
    ? directSql(dialect, first, bounds, columns)
    : mergedSql(dialect, walks, bounds, columns, join)
}

/** One walk over the rows themselves takes half the time of one that is joined with them. */
function directSql(
  { bound }: Dialect,
  { condition, parameters, chainId }: AttestationWalk,
  { maxTimestamp, limit, skip }: PageBounds,
  columns: string,
): SqlText {
  const chain = chainId === null ? 'a.chain_id DESC, ' : ''
  return {
    sql:
      `SELECT ${columns} FROM attestation a WHERE ${condition} AND a.attest_timestamp <= ? ` +
      `ORDER BY a.attest_timestamp DESC, ${chain}a.id DESC LIMIT ${bound} OFFSET ${bound}`,
    parameters: [...parameters, maxTimestamp, limit, skip],
  }
}

function mergedSql(
  dialect: Dialect,
  walks: readonly AttestationWalk[],
  { maxTimestamp, limit, skip }: PageBounds,
  columns: string,
  join: string,
): SqlText {
  const oneChain = walks.every(({ chainId }) => chainId !== null && chainId === walks[0]?.chainId)
  const keys = dialect.merged(
    walks.map(({ table, condition, parameters, chainId }) => ({
      sql:
        `SELECT attest_timestamp AS t, ${chainId ?? 'chain_id'} AS c, id FROM ${table} ` +
        `WHERE ${condition} AND attest_timestamp <= ?`,
      parameters: [...parameters, maxTimestamp],
      order: `attest_timestamp DESC, ${chainId === null ? 'chain_id DESC, ' : ''}id DESC`,
    })),
    oneChain ? '1 DESC, 3 DESC' : '1 DESC, 2 DESC, 3 DESC',
    limit,
    skip,
  )
  return {
    sql:
      `SELECT ${columns} FROM (${keys.sql}) AS k ${dialect.drivenJoin} attestation a ON a.id = k.id${join} ` +
      `ORDER BY k.t DESC, ${oneChain ? '' : 'k.c DESC, '}k.id DESC`,
    parameters: keys.parameters,
  }
}
