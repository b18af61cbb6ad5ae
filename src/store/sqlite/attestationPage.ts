import type { SQLInputValue } from 'node:sqlite'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import { attestationColumns, storedAttestationOfRow, type AttestationRow } from './storedAttestation.ts'
import type { ReadSession } from './readSession.ts'

/** One ordered walk over attestations. Walks of one page are disjoint; the page merges them. */
export interface AttestationWalk {
  /** The table that is walked, that of attestations or one of postings; it has the columns `attest_timestamp` and `id`. */
  readonly table: 'attestation' | 'received_by_chain' | 'received_by_schema' | 'value_posting'
  /** Which of its rows; ends so that a condition can follow. */
  readonly condition: string
  readonly parameters: readonly SQLInputValue[]
  /** The number of the chain where the walk stays on one and its table does not hold it; null: the column `chain_id`. */
  readonly chainId: number | null
}

export interface PageBounds {
  readonly maxTimestamp: number
  readonly limit: number
  readonly skip: number
}

/** The attestations of a page, newest first. */
export function readAttestationPage(
  session: ReadSession,
  walks: readonly AttestationWalk[],
  bounds: PageBounds,
  fields: AttestationFields,
): StoredAttestation[] {
  if (walks.length === 0) return []
  return session.connection
    .statement<AttestationRow>(pageSql(walks, attestationColumns(fields)))
    .all(...pageParameters(walks, bounds))
    .map((row) => storedAttestationOfRow(session, row, fields))
}

/**
 * The walks merged in the order of listings, a page cut out, and the rows fetched for what is left: entries that are skipped
 * cost a step in an index, no more. The chain is left out of the order where all walks stay on one.
 */
function pageSql(walks: readonly AttestationWalk[], columns: string): string {
  const [first] = walks
  return walks.length === 1 && first?.table === 'attestation'
    ? singleWalkSql(first, columns)
    : mergedWalksSql(walks, columns)
}

/** One walk over the rows themselves: SQLite skips in the index and reads no row before the page, in half the time. */
function singleWalkSql({ condition, chainId }: AttestationWalk, columns: string): string {
  const chain = chainId === null ? 'a.chain_id DESC, ' : ''
  return (
    `SELECT ${columns} FROM attestation a WHERE ${condition} AND attest_timestamp <= ? ` +
    `ORDER BY a.attest_timestamp DESC, ${chain}a.id DESC LIMIT +? OFFSET +?`
  )
}

function mergedWalksSql(walks: readonly AttestationWalk[], columns: string): string {
  const oneChain = walks.every(({ chainId }) => chainId !== null && chainId === walks[0]?.chainId)
  const order = oneChain ? ['t', 'id'] : ['t', 'c', 'id']
  const branches = walks.map(({ table, condition, chainId }) => {
    const chain = oneChain ? '' : `${chainId ?? 'chain_id'} AS c, `
    return `SELECT attest_timestamp AS t, ${chain}id FROM ${table} WHERE ${condition} AND attest_timestamp <= ?`
  })
  return (
    `SELECT ${columns} FROM (${branches.join(' UNION ALL ')} ` +
    `ORDER BY ${order.map((_, index) => `${index + 1} DESC`).join(', ')} LIMIT +? OFFSET +?) k ` +
    `CROSS JOIN attestation a ON a.id = k.id ORDER BY ${order.map((column) => `k.${column} DESC`).join(', ')}`
  )
}

function pageParameters(walks: readonly AttestationWalk[], bounds: PageBounds): SQLInputValue[] {
  const parameters: SQLInputValue[] = []
  for (const walk of walks) parameters.push(...walk.parameters, bounds.maxTimestamp)
  parameters.push(bounds.limit, bounds.skip)
  return parameters
}
