import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { startTransactionPooler } from '@attestry/test/harness/transactionPooler.ts'
import { classifyKeyword } from '@attestry/core/model/keyword.ts'
import { openPostgresBeside } from '../beside/openPostgresBeside.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import { generateBlocks, steps } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { restoreIndex } from '../transfer/restoreIndex.ts'
import { checkServer } from './checkServer.ts'
import { openConnection, transact, type Connection } from './connection.ts'
import { migratePostgres } from './migratePostgres.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresRestore } from './openPostgresRestore.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'
import { sessionDefaults, type Settings } from './sessionSettings.ts'

/** For each setting of a session a value by which an answer differs, a write fails or a session ends. */
const hostile: Settings = {
  lock_timeout: 20_000,
  transaction_timeout: 20_000,
  idle_in_transaction_session_timeout: 20_000,
  idle_session_timeout: 20_000,
  tcp_keepalives_idle: 20,
  tcp_keepalives_interval: 20,
  tcp_keepalives_count: 20,
  exit_on_error: 'on',
  client_encoding: 'LATIN1',
  bytea_output: 'escape',
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  extra_float_digits: -15,
  xmlbinary: 'hex',
  xmloption: 'document',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  transform_null_equals: 'on',
  restrict_nonsystem_relation_kind: 'view',
  row_security: 'on',
  gin_fuzzy_search_limit: 1,
  zero_damaged_pages: 'on',
  ignore_checksum_failure: 'on',
  session_replication_role: 'replica',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  plan_cache_mode: 'force_generic_plan',
  jit: 'on',
  debug_parallel_query: 'on',
  cursor_tuple_fraction: 1,
  from_collapse_limit: 1,
  join_collapse_limit: 1,
  ...Object.fromEntries(
    Object.keys(sessionDefaults).flatMap((name) => (name.startsWith('enable_') ? [[name, 'off']] : [])),
  ),
  synchronous_commit: 'off',
  statement_timeout: 20_000,
}

const role = `hostile_${randomBytes(4).toString('hex')}`
const chainId = 5
const [history = []] = fc.sample(steps(30), { numRuns: 1, seed: 7 })
const blocks = generateBlocks(chainId, [], history, 'a')

let plain: PostgresDatabase
let other: PostgresDatabase

beforeAll(async () => {
  plain = await createPostgresDatabase()
  other = await createPostgresDatabase()
  await withTestConnection(plain.url, async (connection) => {
    await connection.exec(`CREATE ROLE ${role} LOGIN SUPERUSER`)
    for (const [name, value] of Object.entries(hostile)) {
      const known = await connection.all('SELECT 1 FROM pg_settings WHERE name = ?', name)
      if (known.length > 0) await connection.exec(`ALTER ROLE ${role} SET ${name} = '${value}'`)
    }
    await connection.exec(`ALTER ROLE ${role} SET search_path = pg_temp, nowhere, pg_catalog`)
  })
})

afterAll(async () => {
  await other.remove()
  await withTestConnection(plain.url, (connection) =>
    connection.exec(`DROP OWNED BY ${role}; DROP ROLE ${role}`),
  )
  await plain.remove()
})

function asHostile({ url }: { readonly url: string }): string {
  const named = new URL(url)
  named.username = role
  return named.href
}

test('a role whose settings are all hostile writes, restores and reads what any role does', async () => {
  for (const url of [plain.url, asHostile(other)]) {
    await migratePostgres(url)
    const writer = openPostgresWriter(url)
    await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(chainId, batchOf(blocks))
    await writer.revertBlocks(chainId, blocks.at(-3)?.number ?? 0, batchOf(blocks).storedAt)
    await writer.close()
  }
  const expected = await answersOf(plain.url)
  expect(JSON.stringify(expected)).toContain('0x')
  expect(await answersOf(asHostile(other))).toEqual(expected)
  expect(await answersOf(asHostile(plain))).toEqual(expected)

  const pooler = await startTransactionPooler(plain.url, { connections: 2, namedStatements: false })
  expect(await answersOf(pooler.url)).toEqual(expected)
  await pooler.close()

  const restored = await createPostgresDatabase()
  const [lines] = expected
  await restoreIndex(textOf(lines as readonly string[]), openPostgresRestore(asHostile(restored)))
  expect((await answersOf(restored.url))[0]).toEqual(lines)
  expect((await checkServer(asHostile(restored))).filter(({ problem }) => problem !== null)).toEqual([])
  await restored.remove()
})

test('tables beside the index are written by such a role', async () => {
  const beside = openPostgresBeside(asHostile(plain), {
    name: 'hostile',
    number: 1,
    steps: [({ prefix }) => `CREATE TABLE ${prefix}noted (bytes bytea, text text);`],
  })
  await beside.transact((statements) =>
    statements.all(`INSERT INTO ${beside.prefix}noted VALUES ('\\x00c8', ?)`, String.raw`\ 'ß`),
  )
  expect(await beside.all(`SELECT bytes, text FROM ${beside.prefix}noted`)).toEqual([
    [Buffer.from([0, 200]), String.raw`\ 'ß`],
  ])
  await beside.close()
})

test('a session of such a role has the settings of any session, and so has each transaction', async () => {
  expect(Object.keys(hostile)).toEqual(expect.arrayContaining(Object.keys(sessionDefaults)))
  const settingsOf = (url: string, setsByTransaction: boolean) =>
    withConnection(url, setsByTransaction, (connection) =>
      connection.all(
        'SELECT name, CASE name WHEN ? THEN current_schema() ELSE setting END FROM pg_settings ' +
          "WHERE context IN ('user', 'superuser') ORDER BY name",
        'search_path',
      ),
    )
  const expected = await settingsOf(plain.url, false)
  expect(expected.length).toBeGreaterThan(100)
  expect(await settingsOf(asHostile(plain), false)).toEqual(expected)
  expect(await settingsOf(asHostile(plain), true)).toEqual(expected)
})

test('a policy of rows makes reads fail rather than hide rows', async () => {
  const reader = `reader_${randomBytes(4).toString('hex')}`
  await withTestConnection(plain.url, (connection) =>
    connection.exec(
      `CREATE ROLE ${reader} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}; ` +
        'ALTER TABLE attestation ENABLE ROW LEVEL SECURITY',
    ),
  )
  const url = new URL(plain.url)
  url.username = reader
  await expect(answersOf(url.href)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('does not permit this to its user: ') as string,
  })
  await withTestConnection(plain.url, (connection) =>
    connection.exec(
      `ALTER TABLE attestation DISABLE ROW LEVEL SECURITY; DROP OWNED BY ${reader}; DROP ROLE ${reader}`,
    ),
  )
})

/** Runs a read in a transaction of a connection with the settings of every session. */
async function withConnection<Result>(
  url: string,
  setsByTransaction: boolean,
  read: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection({ url, applicationName: 'test', setsByTransaction })
  try {
    return await transact(connection, () => read(connection))
  } finally {
    await connection.close()
  }
}

/** Answers of each kind: by single statements, pages, lists, the search and an export. */
async function answersOf(url: string): Promise<readonly unknown[]> {
  const reader = openPostgresReader(url)
  try {
    const keyword = classifyKeyword('a')
    if (keyword === null) throw new Error('a letter is a keyword')
    const page = { page: 1, size: 50 }
    const include = { detail: true, schema: true }
    return [
      await Array.fromAsync(reader.exportLines({ program: '0.0.0-test' })),
      await reader.listChains(),
      await reader.listTotals(),
      await reader.listAttestations({ filter: everyAttestation }, page, include),
      await reader.listAttestations({ keyword, schema: null }, page, include),
      await reader.listSchemas({ keyword }, page),
    ]
  } finally {
    await reader.close()
  }
}

async function* textOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
