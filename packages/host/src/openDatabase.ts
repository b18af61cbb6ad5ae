import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'
import type { Projection } from '@attestry/store/port/projection.ts'
import type { Database } from './database.ts'

/**
 * The configured database. The client library is loaded here, so that no command loads the library of the other
 * database.
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const projections = await importProjections(config)
  if (config.kind === 'sqlite') {
    const { createSqliteDatabase } = await import('./sqliteDatabase.ts')
    return createSqliteDatabase(config.path, projections)
  }
  const { createPostgresDatabase } = await import('./postgresDatabase.ts')
  return createPostgresDatabase(config, projections)
}

export async function importProjections({
  projections: urls = [],
}: DatabaseConfig): Promise<readonly Projection[]> {
  const modules = await Promise.all(urls.map((url) => import(/* @vite-ignore */ url)))
  return (modules as { readonly projection: Projection }[]).map(({ projection }) => projection)
}

/**
 * Opens a database that exists: a command that only reads must not create one at a mistyped path.
 * @throws StartError if the database does not exist.
 */
export async function openExisting(config: DatabaseConfig): Promise<Database> {
  const database = await openDatabase(config)
  if (database.exists()) return database
  throw new StartError(
    `There is no database ${database.place} yet; attestry start or attestry index makes it`,
  )
}
