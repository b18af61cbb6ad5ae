import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import type { SqlInput } from './connection.ts'
import { attestationJson } from './attestationJson.ts'
import type { ReadSession } from './readSession.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestationOfRow,
  type AttestationRow,
} from './storedAttestation.ts'

/** One ordered walk over attestations. Walks of one page are disjoint; the page merges them. */
export interface AttestationWalk {
  /** The table that is walked; it has the columns `attest_timestamp`, `chain_id` and `id`. */
  readonly table: 'attestation' | 'received' | 'value_posting'
  /** Which of its rows; ends so that a condition can follow. */
  readonly condition: string
  readonly parameters: readonly SqlInput[]
  /** Whether the walk stays on one chain by an index that does not hold it. */
  readonly isChainLeftOut: boolean
}

export interface PageBounds {
  readonly maxTimestamp: number
  readonly limit: number
  readonly skip: number
}

/** The attestations of a page, newest first. */
export async function readAttestationPage(
  { connection }: ReadSession,
  walks: readonly AttestationWalk[],
  bounds: PageBounds,
  fields: AttestationFields,
): Promise<StoredAttestation[]> {
  if (walks.length === 0) return []
  const rows = await connection.all<AttestationRow>(
    pageSql(walks, attestationColumns(fields), schemaJoin(fields)),
    ...pageParameters(walks, bounds),
  )
  return rows.map(storedAttestationOfRow)
}

/** The same page as the text of a JSON array of summaries. */
export async function readSummaryPage(
  { connection }: ReadSession,
  walks: readonly AttestationWalk[],
  bounds: PageBounds,
): Promise<string> {
  if (walks.length === 0) return '[]'
  const rows = await connection.all<[string]>(
    pageSql(walks, attestationJson.summary, ''),
    ...pageParameters(walks, bounds),
  )
  return `[${rows.map(([summaryJson]) => `{${summaryJson}}`).join(',')}]`
}

/** The walks merged in the order of listings, a page cut out, and the rows fetched for what is left. */
function pageSql(walks: readonly AttestationWalk[], columns: string, join: string): string {
  const [first] = walks
  return walks.length === 1 && first !== undefined
    ? singleWalkSql(first, columns, join)
    : mergedWalksSql(walks, columns, join)
}

function singleWalkSql(
  { table, condition, isChainLeftOut }: AttestationWalk,
  columns: string,
  join: string,
): string {
  return (
    `SELECT ${columns} FROM (SELECT attest_timestamp, chain_id, id FROM ${table} WHERE ${condition} ` +
    `AND attest_timestamp <= ? ORDER BY ${orderOf(isChainLeftOut)} LIMIT ? OFFSET ?) AS k ` +
    `JOIN attestation a ON a.id = k.id${join} ORDER BY k.attest_timestamp DESC, k.chain_id DESC, k.id DESC`
  )
}

/**
 * Each walk ends at the last entry that the page may need of it: what is merged is a page and what is skipped, times the
 * number of walks, whatever the planner makes of it.
 */
function mergedWalksSql(walks: readonly AttestationWalk[], columns: string, join: string): string {
  const branches = walks.map(
    ({ table, condition, isChainLeftOut }) =>
      `(SELECT attest_timestamp, chain_id, id FROM ${table} WHERE ${condition} AND attest_timestamp <= ? ` +
      `ORDER BY ${orderOf(isChainLeftOut)} LIMIT ?)`,
  )
  return (
    `SELECT ${columns} FROM (${branches.join(' UNION ALL ')} ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT ? OFFSET ?) AS k ` +
    `JOIN attestation a ON a.id = k.id${join} ORDER BY k.attest_timestamp DESC, k.chain_id DESC, k.id DESC`
  )
}

/** The planner knows of a chain that a condition fixes; of one that follows from the schema it does not. */
function orderOf(isChainLeftOut: boolean): string {
  return `attest_timestamp DESC, ${isChainLeftOut ? '' : 'chain_id DESC, '}id DESC`
}

function pageParameters(walks: readonly AttestationWalk[], bounds: PageBounds): SqlInput[] {
  const { maxTimestamp, limit, skip } = bounds
  const isMerged = walks.length > 1
  const parameters = walks.flatMap((walk) => [
    ...walk.parameters,
    maxTimestamp,
    ...(isMerged ? [limit + skip] : []),
  ])
  return [...parameters, limit, skip]
}
