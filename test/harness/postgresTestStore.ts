import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { withTestConnection } from './postgresConnection.ts'
import { createPostgresDatabase } from './postgresDatabase.ts'
import { kindOf, type EmptyIndexOptions } from './sqliteTestStore.ts'

/** An empty database with the tables of the index. */
export interface PostgresTestStore {
  readonly url: string
  /** Empties the database and keeps it for the next test. */
  remove(): Promise<void>
}

/** Unused databases by their options: emptying one is faster than creating another. */
const unused = new Map<string, string[]>()

/** Each test file begins with new databases: the emptied ones keep dead rows, which plans and counts of reads show. */
export function forgetUnusedDatabases(): void {
  unused.clear()
}

export async function createPostgresTestStore(options: EmptyIndexOptions): Promise<PostgresTestStore> {
  const kind = kindOf(options)
  const url = unused.get(kind)?.pop() ?? (await createIndexDatabase(options))
  return {
    url,
    remove: async () => {
      await emptyIndex(url)
      unused.set(kind, [...(unused.get(kind) ?? []), url])
    },
  }
}

/** Migrated databases by their options: a copy takes a tenth of the time of another migration. */
const templates = new Map<string, Promise<string>>()

async function createIndexDatabase(options: EmptyIndexOptions): Promise<string> {
  const kind = kindOf(options)
  const template = templates.get(kind) ?? createTemplate(options)
  templates.set(kind, template)
  return (await createPostgresDatabase(await template)).url
}

async function createTemplate(options: EmptyIndexOptions): Promise<string> {
  const { name, url } = await createPostgresDatabase()
  await migratePostgres(url, options)
  return name
}

async function emptyIndex(url: string): Promise<void> {
  await withTestConnection(url, async (connection) => {
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
  })
}
