import fc from 'fast-check'
import { Client, types } from 'pg'
import { expect, test } from 'vitest'
import { allFields } from '@attestry/test/harness/fieldIndexing.ts'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { createPostgresIndex } from '@attestry/test/harness/postgresTestStore.ts'
import { expectViews } from '../testing/expectViews.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
import { migratePostgres } from './migratePostgres.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'
import { encodeText } from './textColumn.ts'

test('each view tells what the export tells, to a role that may read the views alone', async () => {
  const database = await createPostgresDatabase()
  expect((await migratePostgres(database.url)).viewProblem).toBe(null)
  const writer = openPostgresWriter(database.url, { fields: allFields })
  await playHistory(writer, fc.sample(histories, { numRuns: 12, seed: 5 }).flat())
  await writer.close()
  const role = `analyst_${new URL(database.url).pathname.slice(1)}`
  await withTestConnection(database.url, (connection) =>
    connection.exec(
      `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA attestry TO ${role}; ` +
        `GRANT SELECT ON ALL TABLES IN SCHEMA attestry TO ${role}`,
    ),
  )
  const url = new URL(database.url)
  url.username = role
  const analyst = new Client({
    connectionString: url.href,
    types: {
      getTypeParser: (id) => (id === types.builtins.JSON ? (text: string) => text : types.getTypeParser(id)),
    },
  })
  await analyst.connect()
  const reader = openPostgresReader(database.url)
  await expectViews(
    reader,
    async (view, order) => {
      const { rows } = await analyst.query<Record<string, unknown>>(
        `SELECT * FROM attestry.${view} ORDER BY ${order}`,
      )
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
      )
    },
    (text) => {
      const held = encodeText(text)
      return held === text ? text : held.slice(1)
    },
  )
  await expect(analyst.query('SELECT * FROM public.attestation')).rejects.toThrow('permission denied')
  await reader.close()
  await analyst.end()
  await withTestConnection(database.url, (connection) =>
    connection.exec(`DROP OWNED BY ${role}; DROP ROLE ${role}`),
  )
  await database.remove()
})

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : value
}

test('views that differ are made anew with their grants, and those of another program stay', async () => {
  const database = await createPostgresIndex({ rankThreshold: 1_000 })
  const columns = () =>
    withTestConnection(database.url, (connection) =>
      connection.all<[string, string]>(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'attestry' " +
          'ORDER BY table_name, ordinal_position',
      ),
    )
  const made = await columns()
  await withTestConnection(database.url, async (connection) => {
    await connection.exec(
      'DROP VIEW attestry.chains; CREATE VIEW attestry.chains AS SELECT 1 AS other; ' +
        'COMMENT ON SCHEMA attestry IS \'Attestry, of "public": older\'',
    )
  })
  expect((await migratePostgres(database.url)).viewProblem).toBe(null)
  expect(await columns()).toEqual(made)
  await withTestConnection(database.url, (connection) =>
    connection.exec("COMMENT ON SCHEMA attestry IS 'mine'"),
  )
  expect((await migratePostgres(database.url)).viewProblem).toContain('another program')
  await database.remove()
})

test('every view and column has a comment', async () => {
  const database = await createPostgresIndex({ rankThreshold: 1_000 })
  const uncommented = await withTestConnection(database.url, (connection) =>
    connection.all(
      'SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 ' +
        "WHERE c.relnamespace = 'attestry'::regnamespace AND c.relkind = 'v' " +
        "AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)",
    ),
  )
  expect(uncommented).toEqual([])
  await database.remove()
})

test.each([
  ['dropped', 'DROP VIEW attestry.revocations'],
  ['changed', 'CREATE OR REPLACE VIEW attestry.chains AS SELECT * FROM attestry.chains WHERE false'],
  [
    'renamed',
    'ALTER VIEW attestry.chains RENAME TO mine; ALTER VIEW attestry.fields RENAME COLUMN path TO way',
  ],
  ['dropped with its schema', 'DROP SCHEMA attestry CASCADE'],
  ['commented out', 'COMMENT ON SCHEMA attestry IS NULL'],
])('a view that was %s is there again after a start, with the grants of the others', async (_, change) => {
  const database = await createPostgresIndex({ rankThreshold: 1_000 })
  const definitions = () =>
    withTestConnection(database.url, (connection) =>
      connection.all(
        "SELECT viewname, definition FROM pg_views WHERE schemaname = 'attestry' AND viewname <> 'mine' ORDER BY 1",
      ),
    )
  const made = await definitions()
  await withTestConnection(database.url, async (connection) => {
    await connection.exec(`GRANT SELECT ON attestry.schemas TO PUBLIC; ${change}`)
  })
  for (const _start of [1, 2]) expect((await migratePostgres(database.url)).viewProblem).toBe(null)
  expect(await definitions()).toEqual(made)
  await withTestConnection(database.url, async (connection) => {
    const isGranted =
      "SELECT count(*) FROM information_schema.table_privileges WHERE grantee = 'PUBLIC' AND table_schema = 'attestry'"
    expect(await connection.all(isGranted)).toEqual([[change.includes('SCHEMA attestry CASCADE') ? 0 : 1]])
  })
  await database.remove()
})

test('an index is migrated by a role that may not make the views, which says so', async () => {
  const database = await createPostgresDatabase()
  const role = `indexer_${new URL(database.url).pathname.slice(1)}`
  await withTestConnection(database.url, (connection) =>
    connection.exec(`CREATE ROLE ${role} LOGIN; GRANT CREATE ON SCHEMA public TO ${role}`),
  )
  const url = new URL(database.url)
  url.username = role
  const { viewProblem } = await migratePostgres(url.href)
  expect(viewProblem).toMatch(
    /^the views for SQL cannot be made in the schema attestry, see docs\/sql.md: permission denied/,
  )
  await withTestConnection(database.url, (connection) =>
    connection.exec(`CREATE SCHEMA attestry AUTHORIZATION ${role}`),
  )
  expect((await migratePostgres(url.href)).viewProblem).toBe(null)
  await withTestConnection(database.url, (connection) =>
    connection.exec(`DROP OWNED BY ${role}; DROP ROLE ${role}`),
  )
  await database.remove()
})
