import { afterEach, beforeEach, expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { countClass, countClassBounds } from '../layout/countClass.ts'
import { newestLayout } from '../layout/layoutSteps.ts'
import { checkLayout, migratePostgres } from './migratePostgres.ts'
import { postgresLayout } from './migrations.ts'

let database: PostgresDatabase

beforeEach(async () => {
  database = await createPostgresDatabase()
})

afterEach(() => database.remove())

test('a database is brought to the layout of this version once, by however many processes at a time', async () => {
  const summaries = await Promise.all([1, 2, 3, 4].map(() => migratePostgres(database.url)))
  expect(summaries.map(({ hasTrigramIndex }) => hasTrigramIndex)).toEqual([true, true, true, true])
  expect(summaries.map(({ viewProblem }) => viewProblem)).toEqual([null, null, null, null])
  await withTestConnection(database.url, async (connection) => {
    await checkLayout(connection, 'here')
    expect(await connection.all('SELECT version, rank_threshold FROM index_state')).toEqual([[0, 128]])
  })
})

test('no text of a schema waits beside the trigram index, where every search would have to read it', async () => {
  await migratePostgres(database.url)
  await withTestConnection(database.url, async (connection) => {
    const sql = "SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE relname = 'schema_text_trigrams'"
    expect(await connection.get(sql)).toEqual(['fastupdate=off'])
  })
})

test('the database gives schemas the classes of their counts', async () => {
  const counts = [0, 1, 15, 16, ...countClassBounds.flatMap((bound) => [bound - 1, bound]), 2 ** 40]
  const insert = (id: number, count: number) =>
    `INSERT INTO schema (id, chain_id, protocol, local_id, registered, attestation_count, attester_count) VALUES (${id}, 1, 'sign', '${id}', false, ${count}, 0)`
  await migratePostgres(database.url)
  await withTestConnection(database.url, async (connection) => {
    await connection.exec(counts.map((count, index) => insert(index, count)).join(';'))
    const rows = await connection.all('SELECT attestation_count, count_class FROM schema ORDER BY id')
    expect(rows).toEqual(counts.map((count) => [count, countClass(count)]))
  })
})

test('a database of the baseline is brought up to date by the steps that follow, once', async () => {
  const layout = {
    ...postgresLayout,
    steps: [...postgresLayout.steps, 'CREATE TABLE added (a text)', "INSERT INTO added VALUES ('once')"],
  }
  await migratePostgres(database.url)
  await migratePostgres(database.url, { layout })
  await migratePostgres(database.url, { layout })
  await withTestConnection(database.url, async (connection) => {
    expect(await connection.all('SELECT a FROM added')).toEqual([['once']])
    expect(await connection.get('SELECT version FROM attestry_layout')).toEqual([newestLayout(layout)])
  })
  await expect(migratePostgres(database.url)).rejects.toThrow(/made by a newer version/)
})

test('a layout that is too old is refused, with what to do', async () => {
  await withTestConnection(database.url, async (connection) => {
    await connection.exec(
      'CREATE TABLE attestry_layout (version integer); INSERT INTO attestry_layout VALUES (3)',
    )
    const refusal =
      /has layout 3, and this version upgrades layout 23 and newer: index into a new database, or export this one with the version that made it and import the export$/
    await expect(migratePostgres(database.url)).rejects.toThrow(refusal)
    await expect(checkLayout(connection, 'here')).rejects.toThrow(refusal)
    const tables = await connection.all("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    expect(tables).toEqual([['attestry_layout']])
  })
})

test('the threshold of rank trees is chosen when the database is made, and never after', async () => {
  await migratePostgres(database.url, { rankThreshold: 4 })
  await migratePostgres(database.url, { rankThreshold: 5 })
  await withTestConnection(database.url, async (connection) => {
    expect(await connection.get('SELECT rank_threshold FROM index_state')).toEqual([4])
  })
})

test('a database without a layout, or with that of a newer version, is refused', async () => {
  await withTestConnection(database.url, async (connection) => {
    await expect(checkLayout(connection, 'here')).rejects.toThrow('the database here has no layout')
    await migratePostgres(database.url)
    await connection.exec('UPDATE attestry_layout SET version = 1000')
    await expect(migratePostgres(database.url)).rejects.toThrow(/made by a newer version/)
  })
})

test('a server that does not know what a table needs is refused, with its own words', async () => {
  const { url } = database
  const layout = {
    baseline: { version: 1, sql: 'CREATE TABLE attestry_layout (version nosuchtype)' },
    steps: [],
  }
  await expect(migratePostgres(url, { layout })).rejects.toMatchObject({
    code: 'STORE_INCOMPATIBLE',
    message: expect.stringMatching(
      /^the server of the database .* cannot make the tables of this version: type "nosuchtype" does not exist$/,
    ) as string,
  })
})

test('a database with tables of another program that bear our names is left as it is', async () => {
  await withTestConnection(database.url, async (connection) => {
    await connection.exec('CREATE TABLE attestation (theirs text)')
    await expect(migratePostgres(database.url)).rejects.toBeInstanceOf(StoreIncompatibleError)
    const tables = await connection.all("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    expect(tables).toEqual([['attestation']])
  })
})

test('a server without the trigram extension, or whose user may not have it, goes without its index', async () => {
  await withTestConnection(database.url, async (connection) => {
    await connection.exec("CREATE ROLE plain LOGIN PASSWORD 'plain'; GRANT ALL ON SCHEMA public TO plain")
    const url = new URL(database.url)
    url.username = 'plain'
    url.password = 'plain'
    try {
      expect(await migratePostgres(url.href)).toMatchObject({ hasTrigramIndex: false })
      await checkLayout(connection, 'here')
    } finally {
      await connection.exec('DROP OWNED BY plain; DROP ROLE plain')
    }
  })
})

test('the refusal of a role that may not make tables names the missing right and the remedy', async () => {
  await withTestConnection(database.url, async (connection) => {
    await connection.exec("CREATE ROLE bare LOGIN PASSWORD 'bare'; REVOKE ALL ON SCHEMA public FROM PUBLIC")
    const url = new URL(database.url)
    url.username = 'bare'
    url.password = 'bare'
    const refusal = () => migratePostgres(url.href).then(String, String)
    try {
      expect(await refusal()).toMatch(/: let its owner run GRANT USAGE, CREATE ON SCHEMA public TO bare$/)
      await connection.exec('GRANT USAGE ON SCHEMA public TO bare')
      expect(await refusal()).toMatch(
        /the role bare lacks the right CREATE on the schema public of the database .*: let its owner run GRANT CREATE ON SCHEMA public TO bare$/,
      )
      await connection.exec('GRANT CREATE ON SCHEMA public TO bare')
      expect(await refusal()).not.toMatch(/lacks the right/)
    } finally {
      await connection.exec('DROP OWNED BY bare CASCADE; DROP ROLE bare')
    }
  })
})

test('the errors of an unreachable server and of a missing database do not contain the password', async () => {
  const away = new URL(database.url)
  away.port = '1'
  const missing = new URL(database.url)
  missing.pathname = '/missing'
  for (const url of [away, missing]) {
    const failure = await migratePostgres(url.href).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(StoreUnavailableError)
    expect(JSON.stringify(failure) + String(failure)).not.toContain(url.password)
  }
})
