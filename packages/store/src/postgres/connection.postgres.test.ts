import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { transact, type Connection } from './connection.ts'
import { encodeCopy } from './encodeCopy.ts'

let database: PostgresDatabase
let connection: Connection

beforeAll(async () => {
  database = await createPostgresDatabase()
  connection = await openTestConnection(database.url)
  await connection.exec('CREATE TABLE posted (number integer PRIMARY KEY)')
})

afterAll(async () => {
  await connection.close()
  await database.remove()
})

const target = { table: 'posted', columns: { number: 'int32' } } as const
const insert = 'INSERT INTO posted VALUES (?)'
const numbers = () => connection.all<[number]>('SELECT number FROM posted ORDER BY number')

test('later statements see what was posted, and the commit keeps it', async () => {
  const seen = await transact(connection, async () => {
    connection.post(insert, 1)
    connection.postCopy(target, encodeCopy(target, [{ number: 2 }, { number: 3 }]), (error) => error)
    connection.post('DELETE FROM posted WHERE number = ?', 2)
    return await numbers()
  })
  expect(seen).toEqual([[1], [3]])
  expect(await numbers()).toEqual([[1], [3]])
})

test.each([
  {
    what: 'a statement',
    fail: () => {
      connection.post(insert, 1)
    },
  },
  {
    what: 'a copy',
    fail: () => {
      connection.postCopy(target, encodeCopy(target, [{ number: 1 }]), (error) => error)
    },
  },
])('$what that fails after it was posted undoes its transaction', async ({ fail }) => {
  const duplicate = expect.objectContaining({ code: '23505' }) as unknown
  const work = (behind: () => Promise<unknown>) =>
    transact(connection, async () => {
      connection.post(insert, 4)
      fail()
      // Not sent: the server would answer that the transaction is aborted.
      connection.post(insert, 5)
      await behind()
    })
  await expect(work(() => Promise.resolve())).rejects.toEqual(duplicate)
  await expect(work(numbers)).rejects.toEqual(duplicate)
  expect(await numbers()).toEqual([[1], [3]])
})
