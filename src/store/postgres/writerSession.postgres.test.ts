import { afterEach, beforeEach, expect, test } from 'vitest'
import { withTestConnection } from '../../../test/harness/postgresConnection.ts'
import { createPostgresTestStore, type PostgresTestStore } from '../../../test/harness/postgresTestStore.ts'
import { StoreIncompatibleError, StoreUnavailableError } from '../../errors/storeErrors.ts'
import type { IndexWriter } from '../indexWriter.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

let store: PostgresTestStore
const open: IndexWriter[] = []

beforeEach(async () => {
  store = await createPostgresTestStore({ rankThreshold: 4 })
})

afterEach(async () => {
  for (const writer of open.splice(0)) await writer.close()
  await store.remove()
})

const chainId = 5
const anyStep: Step = { kind: 19, gap: 1, who: 1, whom: 1, what: 0, text: 3 }
const blocks = generateBlocks(chainId, [], attestations(20), 'a')

test('of two writers one has a chain, and the other one has it when the first gives it up or ends', async () => {
  const [first, second, third] = [openWriter(), openWriter(), openWriter()]
  expect(await first.claimChain(chainId)).toBe(true)
  expect(await first.claimChain(chainId)).toBe(true)
  expect(await second.claimChain(chainId)).toBe(false)
  expect(await second.claimChain(6)).toBe(true)
  await first.releaseChain(chainId)
  expect(await second.claimChain(chainId)).toBe(true)
  expect(await first.claimChain(chainId)).toBe(false)
  await second.close()
  await expect.poll(() => third.claimChain(chainId), { timeout: 30_000 }).toBe(true)
})

test('whoever has not the claim cannot open a chain, write to it or tell how it is', async () => {
  const [first, second] = [openWriter(), openWriter()]
  await first.openChain(identityOf(chainId))
  for (const refused of [
    () => second.openChain(identityOf(chainId)),
    () => second.applyBlocks(chainId, batchOf(blocks)),
    () => second.revertBlocks(chainId, -1, batchOf(blocks).storedAt),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
  }
  await first.applyBlocks(chainId, batchOf(blocks))
})

test('a writer that lost its connection has lost its claims, and goes on once it has them again', async () => {
  const [first, second] = [openWriter(), openWriter()]
  await first.openChain(identityOf(chainId))
  await first.applyBlocks(chainId, batchOf(blocks.slice(0, 5)))
  await endSessions()
  await expect(first.applyBlocks(chainId, batchOf(blocks.slice(5)))).rejects.toBeInstanceOf(
    StoreUnavailableError,
  )
  await expect(first.applyBlocks(chainId, batchOf(blocks.slice(5)))).rejects.toThrow(
    /claim on chain 5 was lost/,
  )
  expect(await second.claimChain(chainId)).toBe(true)
  expect(await first.claimChain(chainId)).toBe(false)
  // What the first one remembers of the index is no longer true when it is its turn again.
  const { checkpoint } = await second.openChain(identityOf(chainId))
  expect(checkpoint?.blockNumber).toBe(4)
  await second.applyBlocks(chainId, batchOf(blocks.slice(5, 12)))
  await second.releaseChain(chainId)
  expect(await first.claimChain(chainId)).toBe(true)
  expect((await first.openChain(identityOf(chainId))).checkpoint?.blockNumber).toBe(11)
  await first.applyBlocks(chainId, batchOf(blocks.slice(12)))
  expect(await countAttestations()).toEqual([20, 20])
})

test('writers of several chains at once number versions and changes in the order of their commits', async () => {
  const chainIds = [1, 2, 3, 4]
  await Promise.all(
    chainIds.map(async (each) => {
      const writer = openWriter()
      const own = generateBlocks(each, [], attestations(12), 'a')
      await writer.openChain(identityOf(each))
      for (const block of own) await writer.applyBlocks(each, batchOf([block]))
    }),
  )
  expect(await countAttestations()).toEqual([48, 48])
  await withTestConnection(store.url, async (connection) => {
    const [version, changes, ordinals] =
      (await connection.get<[number, number, number]>(
        'SELECT version, (SELECT count(*) FROM change), (SELECT count(DISTINCT ordinal) FROM chain) FROM index_state',
      )) ?? []
    expect({ version, changes, ordinals }).toEqual({ version: 48, changes: 49, ordinals: 4 })
  })
})

test('a database without the layout of this version is refused', async () => {
  await withTestConnection(store.url, (connection) =>
    connection.exec('UPDATE attestry_layout SET version = version - 1'),
  )
  try {
    await expect(openWriter().claimChain(chainId)).rejects.toBeInstanceOf(StoreIncompatibleError)
  } finally {
    await withTestConnection(store.url, (connection) =>
      connection.exec('UPDATE attestry_layout SET version = version + 1'),
    )
  }
})

test('records are found by their ids where no statistics tell the planner that all are of one chain', async () => {
  const [first, second] = [openWriter(), openWriter()]
  const revoking = Array.from({ length: 40 }, (_, what): Step => ({ ...anyStep, kind: 2, what }))
  const history = generateBlocks(chainId, [], [...attestations(400), ...revoking], 'a')
  await first.openChain(identityOf(chainId))
  await first.applyBlocks(chainId, batchOf(history.slice(0, 400)))
  await first.close()
  const before = await entriesRead()
  await second.openChain(identityOf(chainId))
  const { revocations } = await second.applyBlocks(chainId, batchOf(history.slice(400)))
  // The server counts what a session has read when the session ends.
  await second.close()
  expect(revocations).toBeGreaterThan(10)
  expect(await entriesRead()).toBe(before)
})

/** How many entries of the index that lists the records of a chain have been read. */
async function entriesRead(): Promise<number> {
  let count = 0
  await withTestConnection(store.url, async (connection) => {
    const sessions = () =>
      connection.all(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'attestry index' AND datname = current_database()",
      )
    await expect.poll(sessions, { timeout: 10_000 }).toEqual([])
    const row = await connection.get<[number]>(
      "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'attestation_by_chain'",
    )
    count = row?.[0] ?? Number.NaN
  })
  return count
}

function openWriter(): IndexWriter {
  const writer = openPostgresWriter(store.url)
  open.push(writer)
  return writer
}

/** Ends every session of a writer, as a server does that is shut down. */
async function endSessions(): Promise<void> {
  await withTestConnection(store.url, async (connection) => {
    await connection.all(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'attestry index' " +
        'AND datname = current_database()',
    )
  })
}

async function countAttestations() {
  let counts: unknown
  await withTestConnection(store.url, async (connection) => {
    counts = await connection.get(
      'SELECT attestation_count, (SELECT count(*) FROM attestation) FROM index_state',
    )
  })
  return counts
}

/** Attestations, one a block, from block 0 on. */
function attestations(length: number): Step[] {
  return Array.from({ length }, (_, what) => ({ ...anyStep, who: what % 4, what }))
}
