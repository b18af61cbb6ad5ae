import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import type { Connection, SqlRow } from './connection.ts'
import { encodeCopy, type CopyTarget } from './encodeCopy.ts'
import { decodeText } from './textColumn.ts'

let database: PostgresDatabase
let connection: Connection

const target: CopyTarget = {
  table: 'copied',
  columns: {
    at: 'int32',
    a: 'int53 null',
    b: 'chainText null',
    c: 'boolean null',
    d: 'bytes null',
    e: 'int53List null',
  },
}

function toRow(values: readonly unknown[]) {
  return Object.fromEntries(Object.keys(target.columns).map((column, index) => [column, values[index]]))
}

beforeAll(async () => {
  database = await createPostgresDatabase()
  connection = await openTestConnection(database.url)
  await connection.exec('CREATE TABLE copied (e bigint[], d bytea, c boolean, b text, a bigint, at integer)')
})

afterAll(async () => {
  await connection.close()
  await database.remove()
})

const whole = fc.maxSafeInteger()
const row = fc.tuple(
  fc.option(whole),
  fc.option(fc.string({ unit: 'binary', size: 'medium' })),
  fc.option(fc.boolean()),
  fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  fc.option(fc.array(whole, { maxLength: 4 })),
)

test('rows of every type come back as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 50 }), async (rows) => {
      const numbered = rows.map((each, at) => [at, ...each] as const)
      await connection.copy(target, encodeCopy(target, numbered.map(toRow)))
      const read = await connection.all<[number, number | null, string | null, ...SqlRow]>(
        'SELECT at, a, b, c, d, e FROM copied ORDER BY at',
      )
      await connection.exec('DELETE FROM copied')
      const decoded = read.map(([at, a, b, ...rest]) => [at, a, b === null ? null : decodeText(b), ...rest])
      expect(decoded).toEqual(numbered)
    }),
    { verbose: 1 },
  )
})

test('copies all rows if they fill several pieces, and if a row is larger than a piece', async () => {
  const long = 'é'.repeat(300_000)
  const rows = Array.from({ length: 3_000 }, (_, at) => [
    at,
    at,
    at % 1_000 === 7 ? long : 'short',
    true,
    null,
    [],
  ])
  await connection.copy(target, encodeCopy(target, rows.map(toRow)))
  const read = await connection.all('SELECT count(*), sum(length(b)), max(at) FROM copied')
  await connection.exec('DELETE FROM copied')
  expect(read).toEqual([[3_000, 3 * 300_000 + 2_997 * 5, 2_999]])
})

test('integers beyond those of JavaScript are kept exactly', async () => {
  const ids = [2n ** 63n - 1n, -(2n ** 63n), (1023n << 53n) + 5n]
  await connection.copy(
    target,
    encodeCopy(
      target,
      ids.map((id, at) => toRow([at, id, null, null, null, null])),
    ),
  )
  const read = await connection.all('SELECT a::text FROM copied ORDER BY at')
  await connection.exec('DELETE FROM copied')
  expect(read).toEqual(ids.map((id) => [String(id)]))
})

test('a row that cannot be made leaves nothing behind, and the connection in order', async () => {
  const failing = function* () {
    yield toRow([1, 1, 'one', null, null, null])
    throw new RangeError('no more')
  }
  await expect(connection.copy(target, encodeCopy(target, failing()))).rejects.toThrow('no more')
  await expect(
    connection.copy(target, encodeCopy(target, [toRow([1, 'one', null, null, null, null])])),
  ).rejects.toThrow('a column of type int53 was given a string')
  expect(await connection.all('SELECT * FROM copied')).toEqual([])
})
