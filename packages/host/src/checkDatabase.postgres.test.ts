import { expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { startTransactionPooler } from '@attestry/test/harness/transactionPooler.ts'
import { assertChecked, migrateForWriting, runCheckDatabase } from './checkDatabase.ts'
import { openDatabase } from './openDatabase.ts'

test('a database is migrated and checked, and refused behind a pooler in transaction mode', async () => {
  const { url, remove } = await createPostgresDatabase()
  const config = { kind: 'postgres', url } as const
  const { lines, failure } = await runCheckDatabase(config)
  expect(failure).toBe(null)
  expect(lines.length).toBeGreaterThan(6)
  for (const line of lines) expect(line).toMatch(/^ok: /)
  await assertChecked(await openDatabase(config))

  const pooler = await startTransactionPooler(url, { connections: 2, namedStatements: false })
  const refused = await runCheckDatabase({ ...config, url: pooler.url })
  expect(refused.lines).toEqual([expect.stringMatching(/^problem: a pooler in transaction mode/)])
  expect(refused.failure?.message).toBe('The database cannot be indexed into: 1 of its checks failed')
  await pooler.close()
  await remove()
})

test('nothing is made in an empty database behind a pooler in transaction mode', async () => {
  const { url, remove } = await createPostgresDatabase()
  const pooler = await startTransactionPooler(url, { connections: 2, namedStatements: false })
  const config = { kind: 'postgres', url: pooler.url } as const
  await expect(migrateForWriting(await openDatabase(config))).rejects.toThrow(/^a pooler in transaction mode/)
  await runCheckDatabase(config)
  await pooler.close()
  await withTestConnection(url, async (connection) => {
    expect(await connection.all("SELECT relname FROM pg_class WHERE relname ~ '^(attestry|chain)'")).toEqual(
      [],
    )
  })
  await remove()
})

test('a SQLite file has no server to check, and is not made', async () => {
  const { lines, failure } = await runCheckDatabase({ kind: 'sqlite', path: '/nowhere/index.db' })
  expect(failure).toBe(null)
  expect(lines).toEqual([expect.stringContaining('/nowhere/index.db is a SQLite file')])
})
