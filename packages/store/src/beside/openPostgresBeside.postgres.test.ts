import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { startTransactionPooler, type TransactionPooler } from '@attestry/test/harness/transactionPooler.ts'
import type { BesideLayout, BesideStatements } from './besideDatabase.ts'
import { openPostgresBeside } from './openPostgresBeside.ts'

let database: { readonly url: string; readonly remove: () => Promise<void> }
let pooler: TransactionPooler | null = null

beforeEach(async () => {
  database = await createPostgresDatabase()
})
afterEach(async () => {
  await pooler?.close()
  pooler = null
  await database.remove()
})

const layout: BesideLayout = {
  name: 'tally',
  number: 1,
  steps: [
    ({ prefix, integer }) => `CREATE TABLE ${prefix}tally (name text PRIMARY KEY, count ${integer} NOT NULL)`,
  ],
}

test.each([1, 3])(
  'tables beside the index are used through a pooler over %i connections, and no session keeps a setting',
  async (connections) => {
    // A pooler without names of statements, as PgBouncer was before 1.21.
    pooler = await startTransactionPooler(database.url, { connections, namedStatements: false })
    const { url } = pooler
    const processes = [openPostgresBeside(url, layout), openPostgresBeside(url, layout)]
    const read = async (statements: BesideStatements, prefix: string) => {
      const [row] = await statements.all<[number]>(`SELECT count FROM ${prefix}tally WHERE name = ?`, 'a')
      return row?.[0] ?? 0
    }
    const rounds = 3
    await Promise.all(
      processes.flatMap(({ prefix, all, transact }) =>
        Array.from({ length: rounds }, async () => {
          await transact(async (statements) => {
            const count = (await read(statements, prefix)) + 1
            const sql = `INSERT INTO ${prefix}tally VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET count = ?`
            await statements.all(sql, 'a', count, count)
          })
          expect(await read({ all }, prefix)).toBeGreaterThan(0)
        }),
      ),
    )
    for (const { prefix, all } of processes) {
      expect(await read({ all }, prefix)).toBe(processes.length * rounds)
      await expect(all('SELECT * FROM nowhere')).rejects.toThrow('has not the tables')
      const [timeout] = await all<[string]>("SELECT current_setting('statement_timeout')")
      expect(timeout).toEqual(['10s'])
    }
    const other = await openTestConnection(url)
    for (let turn = 0; turn < connections * 2; turn++) {
      await other.exec("DO $$ BEGIN ASSERT current_setting('statement_timeout') = '0'; END $$")
    }
    await Promise.all([other, ...processes].map((each) => each.close()))
  },
)
