import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import type { TypedDatabase } from './typedDatabase.ts'

/** Opens the database of an index for typed tables. The client library is loaded here. */
export async function openTyped(config: DatabaseConfig): Promise<TypedDatabase> {
  if (config.kind === 'sqlite') {
    const { openSqliteTyped } = await import('./sqliteTyped.ts')
    return openSqliteTyped(config.path)
  }
  const { openPostgresTyped } = await import('./postgresTyped.ts')
  return await openPostgresTyped(config.url)
}
