import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore, type PostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { startTransactionPooler, type TransactionPooler } from '@attestry/test/harness/transactionPooler.ts'
import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { checkServer, checkSessions } from './checkServer.ts'
import { databasePlace } from './databasePlace.ts'
import { findTransactionPooler } from './findPooler.ts'
import { migratePostgres } from './migratePostgres.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresRestore } from './openPostgresRestore.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

/** Poolers in transaction mode without names of statements, as PgBouncer was before 1.21. */

let store: PostgresTestStore
const poolers: TransactionPooler[] = []

beforeEach(async () => {
  store = await createPostgresTestStore({ rankThreshold: 4 })
})
afterEach(async () => {
  for (const pooler of poolers.splice(0)) await pooler.close()
  await store.remove()
})

async function startPooler(connections: number): Promise<TransactionPooler> {
  const pooler = await startTransactionPooler(store.url, { connections, namedStatements: false })
  poolers.push(pooler)
  return pooler
}

const chainId = 5
const anyStep: Step = { kind: 19, gap: 1, who: 1, whom: 1, what: 0, text: 3 }
const blocks = generateBlocks(
  chainId,
  [],
  Array.from({ length: 20 }, () => anyStep),
  'a',
)

test.each([1, 2, 3])(
  'a pooler in transaction mode over %i connections is recognised',
  async (connections) => {
    const { url } = await startPooler(connections)
    expect(await findTransactionPooler(url)).toBe(true)
    const sentence = `a pooler in transaction mode stands before the database ${databasePlace(url)}, and `
    expect((await checkSessions(url)).problem).toContain(sentence)
    const restore = openPostgresRestore(url)
    await expect(restore.finish()).rejects.toThrow(StoreIncompatibleError)
    await restore.abandon()
  },
)

test('a server without a pooler passes every check, and keeps nothing of them', async () => {
  expect(await findTransactionPooler(store.url)).toBe(false)
  const checks = await checkServer(store.url)
  expect(checks.length).toBeGreaterThan(6)
  expect(checks.filter(({ problem }) => problem !== null)).toEqual([])
  const connection = await openTestConnection(store.url)
  expect(await connection.all('SELECT * FROM chain_claim')).toEqual([])
  await connection.close()
})

test.each([1, 3])(
  'an index is read through a pooler over %i connections, and no session keeps a setting',
  async (connections) => {
    const writer = openPostgresWriter(store.url)
    await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(chainId, batchOf(blocks))
    await writer.close()
    const { url } = await startPooler(connections)
    await migratePostgres(url)
    const [direct, pooled] = [openPostgresReader(store.url), openPostgresReader(url)]
    for (const read of [
      (reader: typeof direct) => Array.fromAsync(reader.exportLines({ times: true })),
      (reader: typeof direct) => reader.listChains(),
      (reader: typeof direct) => reader.listTotals(),
      (reader: typeof direct) =>
        reader.listAttestations(
          { filter: everyAttestation },
          { page: 1, size: 10 },
          { detail: true, schema: true },
        ),
    ]) {
      const expected = await read(direct)
      // Many at once, so that transactions of one client go to several sessions.
      for (const answer of await Promise.all(Array.from({ length: 5 }, () => read(pooled)))) {
        expect(answer).toEqual(expected)
      }
    }
    await Promise.all([direct.close(), pooled.close()])
    const other = await openTestConnection(url)
    for (let turn = 0; turn < connections * 2; turn++) {
      await other.exec("DO $$ BEGIN ASSERT current_setting('transaction_read_only') = 'off'; END $$")
      await other.exec("DO $$ BEGIN ASSERT current_setting('statement_timeout') = '0'; END $$")
    }
    await other.close()
  },
)

test('reads go on when a pooler begins to give sessions by transaction', async () => {
  const writer = openPostgresWriter(store.url)
  await writer.openChain(identityOf(chainId))
  await writer.applyBlocks(chainId, batchOf(blocks))
  await writer.close()
  const pooler = await startTransactionPooler(store.url, {
    connections: 16,
    namedStatements: false,
    mode: 'session',
  })
  poolers.push(pooler)
  const reader = openPostgresReader(pooler.url, { connectionsMax: 4 })
  const read = async () => {
    await reader.indexVersion()
    return await Promise.all([
      ...Array.from({ length: 6 }, () =>
        reader.listAttestations(
          { filter: everyAttestation },
          { page: 1, size: 10 },
          { detail: true, schema: true },
        ),
      ),
      reader.listChains(),
    ])
  }
  const expected = await read()
  pooler.giveSessionsBy('transaction')
  for (let turn = 0; turn < 5; turn++) expect(await read()).toEqual(expected)
  await reader.close()
})
