import { deferredIndexes } from '../layout/deferredIndexes.ts'
import type { Connection } from './connection.ts'

/** Lists of recipients stand in one table here, and in two without further indexes in SQLite. */
export const receivedIndexes: readonly string[] = ['received_by_chain', 'received_by_schema']

/**
 * Indexes that stay, and have an entry of revoked attestations only. While one of them names a column that a revocation
 * changes, PostgreSQL makes no HOT update of it. After such an update, indexes that the same transaction makes of the
 * table are not read until it has ended (`pg_index.indcheckxmin`).
 */
const keptIndexes: readonly string[] = ['attestation_by_revocation', 'attestation_revoked']

/** Drops the indexes that are made once all rows are there; resolves to the statements that make them, by name. */
export async function dropDeferred(connection: Connection): Promise<ReadonlyMap<string, string>> {
  const statements = new Map<string, string>()
  const dropped = deferredIndexes.filter((name) => !keptIndexes.includes(name))
  for (const name of [...dropped, ...receivedIndexes]) {
    const [sql] = (await connection.get<[string]>('SELECT pg_get_indexdef(CAST(? AS regclass))', name)) ?? []
    if (sql === undefined) throw new Error(`the layout has no index ${name}`)
    statements.set(name, sql)
    await connection.exec(`DROP INDEX ${name}`)
  }
  return statements
}
