import { inject } from 'vitest'
import type { Projection } from '@attestry/store/port/projection.ts'
import type { Connection } from '@attestry/store/postgres/connection.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openTestConnection, withTestConnection } from './postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from './postgresDatabase.ts'
import { databasesOf } from './postgresServer.ts'
import { kindOf, type EmptyIndexOptions } from './sqliteTestStore.ts'

/** An empty database, or one with the tables of an empty index. */
export interface PostgresTestStore {
  readonly url: string
  /** Empties the database and keeps it for the next test. */
  remove(): Promise<void>
}

/** A database that this file has used, and the connection that empties it after each test. */
interface UsedDatabase {
  readonly url: string
  readonly cleaner: Connection
}

/** Unused databases by their kind: emptying one is faster than creating another. */
const unused = new Map<string, UsedDatabase[]>()

/** Each test file begins with new databases: the emptied ones keep dead rows, which plans and counts of reads show. */
export async function forgetUnusedDatabases(): Promise<void> {
  const databases = [...unused.values()].flat()
  unused.clear()
  await Promise.all(databases.map(({ cleaner }) => cleaner.close()))
}

/** A database with the tables of an empty index. */
export function createPostgresTestStore(options: EmptyIndexOptions): Promise<PostgresTestStore> {
  return takeDatabase(
    `index ${kindOf(options)}`,
    async () => (await createPostgresIndex(options)).url,
    emptyIndex,
  )
}

/** A database without tables. */
export function createEmptyTestStore(): Promise<PostgresTestStore> {
  return takeDatabase('empty', async () => (await createPostgresDatabase()).url, dropTables)
}

async function takeDatabase(
  kind: string,
  create: () => Promise<string>,
  empty: (connection: Connection) => Promise<void>,
): Promise<PostgresTestStore> {
  const used = unused.get(kind)?.pop()
  const url = used?.url ?? (await create())
  return {
    url,
    remove: async () => {
      // A new connection would read the catalog of each table anew: 65 ms of processor time instead of 3 ms.
      const cleaner = used?.cleaner ?? (await openTestConnection(url))
      await empty(cleaner)
      unused.set(kind, [...(unused.get(kind) ?? []), { url, cleaner }])
    },
  }
}

/** Migrated databases by their projections: a copy takes a tenth of the time of another migration. */
const templates = new Map<string, Promise<string>>()

/** A database of one test with the tables of an empty index, for a test that changes more than rows. */
export async function createPostgresIndex(options: EmptyIndexOptions): Promise<PostgresDatabase> {
  const { rankThreshold, projections = [] } = options
  const kind = projections.map(({ name }) => name).join(' ')
  const template = templates.get(kind) ?? createTemplate(kind, projections)
  templates.set(kind, template)
  const database = await createPostgresDatabase(await template)
  // All that a migration makes of the threshold.
  await withTestConnection(database.url, (connection) =>
    connection.run('UPDATE index_state SET rank_threshold = ?', rankThreshold),
  )
  return database
}

/** Makes the template, or takes the one that another worker has made on the same server. */
async function createTemplate(kind: string, projections: readonly Projection[]): Promise<string> {
  const databases = databasesOf(inject('postgresPort'))
  const name = `template of ${kind}`
  await withTestConnection(databases.urlOf('postgres'), async (connection) => {
    // Held until the connection closes.
    await connection.all('SELECT pg_advisory_lock(1)::text')
    if (await databases.hasDatabase(name)) return
    const unfinished = await createPostgresDatabase()
    await migratePostgres(unfinished.url, { projections })
    await connection.exec(`ALTER DATABASE "${unfinished.name}" RENAME TO "${name}"`)
  })
  return name
}

async function emptyIndex(connection: Connection): Promise<void> {
  const tables = await connection.all<[string]>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' " +
      "AND tablename NOT IN ('attestry_layout', 'index_state', 'change')",
  )
  const deletes = tables.map(([table]) => `DELETE FROM ${table}`)
  // The claims and then `index_state` first, as every writer does: so it waits for a writer that still runs.
  await connection.exec(
    `DELETE FROM chain_claim; UPDATE index_state SET version = 0, write_count = 0, attestation_count = 0, ` +
      'schema_count = 0; ' +
      `${deletes.join('; ')}; ` +
      "DELETE FROM change WHERE sequence < (SELECT max(sequence) FROM change); UPDATE change SET chain_id = 0, first_position = NULL, last_position = NULL, body_json = '[]'",
  )
}

async function dropTables(connection: Connection): Promise<void> {
  const schemas = await connection.all<[string]>(
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'",
  )
  const drops = schemas.map(([schema]) => `DROP SCHEMA "${schema}" CASCADE`)
  await connection.exec(`${drops.join('; ')}; CREATE SCHEMA public`)
}
