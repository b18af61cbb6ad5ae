import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import type { AttestryError } from '@attestry/core/errors/baseError.ts'
import type { Connection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { translatePostgresError, uniqueViolation } from './translatePostgresError.ts'

let database: PostgresDatabase
let connection: Connection

beforeAll(async () => {
  database = await createPostgresDatabase()
  connection = await open()
  await connection.exec('CREATE TABLE taken (a integer, b text, CONSTRAINT both_once UNIQUE (a, b))')
})

afterAll(async () => {
  await connection.close()
  await database.remove()
})

test.each([
  [
    'a statement that takes too long',
    'SET LOCAL statement_timeout = 1; SELECT pg_sleep(9)',
    'STORE_UNAVAILABLE',
    true,
  ],
  [
    'a write into what is read-only',
    'SET LOCAL transaction_read_only = on; CREATE TABLE x ()',
    'STORE_UNAVAILABLE',
    true,
  ],
  [
    'a condition that is refused',
    `SELECT ${postgresDialect.refuse('(SELECT count(*) FROM taken) < 9')}`,
    'STORE_TOO_MUCH_WORK',
    false,
  ],
  ['a table that is not there', 'SELECT * FROM nowhere', 'STORE_INCOMPATIBLE', false],
  [
    'a row that contradicts a constraint',
    "INSERT INTO taken VALUES (1, 'b'), (1, 'b')",
    'STORE_INVARIANT',
    false,
  ],
])('%s is told apart by its SQLSTATE', async (_, sql, code, retryable) => {
  const error = translatePostgresError('here', await failureOf(() => connection.exec(`BEGIN; ${sql}`)))
  await connection.exec('ROLLBACK')
  expect(error).toMatchObject({ code, retryable })
})

test('a connection that is ended under a statement is unavailability that passes', async () => {
  const other = await open()
  const [pid] = (await other.get<[number]>('SELECT pg_backend_pid()')) ?? [0]
  const failure = failureOf(() => other.exec('SELECT pg_sleep(60)'))
  await connection.run('SELECT pg_terminate_backend(?)', pid)
  expect(translatePostgresError('here', await failure)).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    retryable: true,
  } satisfies Partial<AttestryError>)
  const afterwards = await failureOf(() => other.exec('SELECT 1'))
  expect(translatePostgresError('here', afterwards)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  // The end of the socket may come a moment after the failures that it causes.
  await vi.waitUntil(() => !other.isOpen(), { timeout: 60_000, interval: 5 })
})

test('a key that is taken is named with its index', async () => {
  const insert = "INSERT INTO taken VALUES (7, 'x, y'), (7, 'x, y')"
  expect(uniqueViolation(await failureOf(() => connection.exec(insert)))).toEqual({
    index: 'both_once',
    key: '7, x, y',
  })
})

test('what is no error of the database is left as it is', () => {
  const error = new TypeError('ours')
  expect(translatePostgresError('here', error)).toBe(error)
})

function open(): Promise<Connection> {
  return openTestConnection(database.url)
}

function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => null,
    (error: unknown) => error,
  )
}
