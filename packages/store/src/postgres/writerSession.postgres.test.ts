import { afterEach, beforeEach, expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore, type PostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { ChangeJournal, ChangePlace } from '@attestry/core/index/indexQueries.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openPostgresReader } from './openPostgresReader.ts'
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
  await expect.poll(() => third.claimChain(chainId)).toBe(true)
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
  // The first writer's memory of the index is outdated when its turn comes again.
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

test('a commit of one chain waits for no open transaction of another, and a tail that reads on misses nothing', async () => {
  const [first, second] = [openWriter(), openWriter()]
  const reader = openPostgresReader(store.url)
  try {
    await first.openChain(identityOf(1))
    await second.openChain(identityOf(2))
    // All records of the first chain are for one address, which the second chain has not.
    await first.applyBlocks(1, batchOf(lifeOf(1, 0).slice(0, 5)))
    const start = await reader.newestChange()
    const version = await reader.indexVersion()
    await withTestConnection(store.url, async (holder) => {
      await holder.exec('BEGIN; SELECT FROM address FOR UPDATE')
      const open = first.applyBlocks(1, batchOf(lifeOf(1, 0).slice(5)))
      await expect.poll(() => waitingStatements()).toEqual(['UPDATE address'])
      // It has written its records, and commits after the second one.
      await second.applyBlocks(2, batchOf(lifeOf(2, 1)))
      expect(await reader.indexVersion()).toBe(version + 1)
      const before = await readTail(reader, start)
      expect(before.chains).toEqual(Array(12).fill(2))
      await holder.exec('COMMIT')
      await open
      expect(await reader.indexVersion()).toBe(version + 2)
      expect((await readTail(reader, before.next)).chains).toEqual(Array(8).fill(1))
    })
  } finally {
    await reader.close()
  }
})

test('writers that meet at the state of the index commit one after the other, each with the next version', async () => {
  const [first, second] = [openWriter(), openWriter()]
  const reader = openPostgresReader(store.url)
  try {
    await first.openChain(identityOf(1))
    await second.openChain(identityOf(2))
    const start = await reader.newestChange()
    await withTestConnection(store.url, async (holder) => {
      await holder.exec('BEGIN; SELECT FROM index_state FOR UPDATE')
      const one = first.applyBlocks(1, batchOf(lifeOf(1, 0)))
      await expect.poll(() => waitingStatements()).toEqual(['SELECT version'])
      // The same address comes to both chains: the second writer waits for the row of the first, and begins anew.
      const other = second.applyBlocks(2, batchOf(lifeOf(2, 0)))
      await expect.poll(() => waitingStatements()).toEqual(['COPY address', 'SELECT version'])
      expect((await readTail(reader, start)).chains).toEqual([])
      await holder.exec('COMMIT')
      await Promise.all([one, other])
      const tail = await readTail(reader, start)
      expect(tail.chains).toEqual([...Array(12).fill(1), ...Array(12).fill(2)])
      expect(tail.sequences).toEqual([start.sequence + 1, start.sequence + 2])
      expect(
        await holder.all('SELECT s.version, a.created FROM index_state s, address a WHERE a.created > 0'),
      ).toEqual([[2, 24]])
    })
  } finally {
    await reader.close()
  }
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
    await expect.poll(sessions).toEqual([])
    const row = await connection.get<[number]>(
      "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'attestation_by_chain'",
    )
    count = row?.[0] ?? Number.NaN
  })
  return count
}

/** Twelve attestations by and for one address, one a block after an empty one. */
function lifeOf(chain: number, who: number) {
  const life = Array.from({ length: 12 }, (_, what): Step => ({ ...anyStep, who, whom: who, what }))
  return generateBlocks(chain, [], life, 'a')
}

/** The first two words of the statements of writers that wait for a lock. */
async function waitingStatements(): Promise<readonly string[]> {
  let statements: readonly string[] = []
  // A transaction sees the sessions as they were when it first looked.
  await withTestConnection(store.url, async (connection) => {
    const rows = await connection.all<[string]>(
      "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() " +
        "AND application_name = 'attestry index'",
    )
    statements = rows.map(([query]) => (/^\w+ \w+/.exec(query) ?? [''])[0]).toSorted()
  })
  return statements
}

/** The chains of the changes after a place, in their order, and the rows of the journal that they stand in. */
async function readTail(reader: ChangeJournal, after: ChangePlace) {
  const { changes, next, hasMore } = await reader.listChanges(after, 100)
  expect(hasMore).toBe(false)
  const chains = changes.map((change) =>
    change.kind === 'attestation' ? change.attestation.key.chainId : null,
  )
  return { chains, sequences: [...new Set(changes.map(({ place }) => place.sequence))], next }
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
