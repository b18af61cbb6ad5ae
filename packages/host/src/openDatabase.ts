import type { DatabaseConfig } from './config/resolveDatabase.ts'
import type { Database } from './database.ts'

/**
 * The configured database. The client library is loaded here, so that no command loads the library of the other
 * database.
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite') {
    const { createSqliteDatabase } = await import('./sqliteDatabase.ts')
    return createSqliteDatabase(config.path)
  }
  const { createPostgresDatabase } = await import('./postgresDatabase.ts')
  return createPostgresDatabase(config)
}
