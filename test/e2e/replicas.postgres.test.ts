import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import fc from 'fast-check'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { generateBlocks, steps, type GeneratedBlock } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { startReplicatedPostgres, type ReplicatedPostgres } from '../harness/postgresServer.ts'

/** A primary and two streaming replicas, read by the readers of two processes. */

const waitLimitMs = 180_000
const chainId = 5

let servers: ReplicatedPostgres
let urls: { readonly primary: string; readonly replicas: readonly [string, string] }
let writer: IndexWriter
let readers: readonly IndexReader[]
let blocks: GeneratedBlock[] = []

beforeAll(async () => {
  servers = await startReplicatedPostgres(2)
  const primary = await servers.primary.createDatabase('attestry')
  const [first, second] = servers.replicas.map((server) => server.urlOf('attestry'))
  urls = { primary, replicas: [first ?? '', second ?? ''] }
  await migratePostgres(primary)
  writer = openPostgresWriter(primary)
  await writer.openChain(identityOf(chainId))
  readers = [0, 1].map(() => openPostgresReader(primary, { replicas: urls.replicas }))
  await write()
})
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()))
  await writer.close()
  await servers.stop()
})

test('reads are answered by the replicas once these are up to date', async () => {
  // Before the database has come to a replica, nothing connects to the database there.
  for (const url of urls.replicas) {
    await expect.poll(() => versionOn(url).catch(() => null), { timeout: waitLimitMs }).not.toBeNull()
  }
  for (const url of urls.replicas) expect(await readFrom(url)).toBe(true)
})

test('no client is shown an older state after a newer one, whichever process and replica answers it', async () => {
  const client = followTotals()
  for (let round = 0; round < 15; round++) await write()
  expect(inOrder(await client.stop())).toBe(true)
})

test('a replica that lags is not read from', async () => {
  const [lagging] = urls.replicas
  await runSql(lagging, 'SELECT pg_wal_replay_pause()')
  const client = followTotals()
  for (let round = 0; round < 5; round++) await write()
  const totals = await client.stop()
  expect(inOrder(totals)).toBe(true)
  expect(totals.at(-1)).toBe(await totalOn(urls.primary))
  expect(await totalOn(lagging)).toBeLessThan(await totalOn(urls.primary))
  await runSql(lagging, 'SELECT pg_wal_replay_resume()')
})

test('a replica that is killed is done without, and read from again when it is back', async () => {
  const client = followTotals()
  await servers.replicas[1]?.kill()
  for (let round = 0; round < 3; round++) await write()
  await servers.replicas[1]?.restart()
  expect(await readFrom(urls.replicas[1])).toBe(true)
  expect(inOrder(await client.stop())).toBe(true)
})

test('when the primary is restarted, what follows is not older than what was before', async () => {
  const client = followTotals()
  for (let round = 0; round < 2; round++) await write()
  await servers.primary.kill()
  await servers.primary.restart()
  await writer.openChain(identityOf(chainId))
  for (let round = 0; round < 2; round++) await write()
  expect(await readFrom(urls.replicas[0])).toBe(true)
  const totals = await client.stop()
  expect(inOrder(totals)).toBe(true)
  expect(totals.at(-1)).toBe(await totalOn(urls.primary))
})

test('a commit that replicas show before the primary does is in no answer', async () => {
  await untilEqual()
  const client = followTotals()
  // Commits wait for a synchronous replica that does not exist: until the setting is gone, only replicas show them.
  await setOnPrimary("synchronous_standby_names = 'nobody'")
  await untilCommitsWait()
  const written = write(9)
  try {
    await expect.poll(() => versionOn(urls.replicas[0])).toBeGreaterThan(await versionOn(urls.primary))
    for (const reader of readers) expect(await askTotal(reader)).toBe(await totalOn(urls.primary))
  } finally {
    await setOnPrimary("synchronous_standby_names = ''")
  }
  await written
  expect(inOrder(await client.stop())).toBe(true)
})

test('a replica with other commits under the same numbers, as after a failover that lost some, is not read from', async () => {
  const [promoted] = urls.replicas
  await untilEqual()
  await runSql(promoted, 'SELECT pg_promote()')
  const other = openPostgresWriter(promoted)
  const reader = openPostgresReader(urls.primary, { replicas: [promoted] })
  for (const [each, lives] of [
    [writer, 1],
    [other, 9],
  ] as const) {
    await each.openChain(identityOf(chainId))
    await each.applyBlocks(chainId, batchOf(nextBlocks(lives)))
  }
  expect(await versionOn(promoted)).toBe(await versionOn(urls.primary))
  expect(await totalOn(promoted)).not.toBe(await totalOn(urls.primary))
  expect(await askTotal(reader)).toBe(await totalOn(urls.primary))
  await Promise.all([reader.close(), other.close()])
})

test('a copy of the database that replays no other, as a logical replica is, is not read from', async () => {
  await untilEqual()
  const copy = await servers.primary.createDatabase('copied', 'template0')
  await migratePostgres(copy)
  await runSql(copy, 'DELETE FROM index_state')
  const [state] = await runSql(urls.primary, 'SELECT row_to_json(s)::text AS state FROM index_state s')
  await runSql(
    copy,
    `INSERT INTO index_state SELECT * FROM json_populate_record(NULL::index_state, '${String(state?.['state'])}')`,
  )
  const reader = openPostgresReader(urls.primary, { replicas: [copy] })
  // The copy has the state of the primary, and none of its attestations.
  expect(await askTotal(reader)).toBe(await totalOn(urls.primary))
  await reader.close()
})

/** Applies further blocks. */
async function write(lives = 1): Promise<void> {
  const made = nextBlocks(lives)
  if (made.length === 0) return
  await writer.applyBlocks(chainId, batchOf(made))
  blocks = [...blocks, ...made]
}

/** @param lives how much happens in them. */
function nextBlocks(lives: number): GeneratedBlock[] {
  const life = fc.sample(steps(12), { numRuns: lives, seed: blocks.length + 1 }).flat()
  return generateBlocks(chainId, blocks, life, 'a')
}

async function setOnPrimary(setting: string): Promise<void> {
  await runSql(urls.primary, `ALTER SYSTEM SET ${setting}`)
  await runSql(urls.primary, 'SELECT pg_reload_conf()')
}

async function untilEqual(): Promise<void> {
  for (const url of urls.replicas) {
    await expect.poll(() => versionOn(url)).toBe(await versionOn(urls.primary))
  }
}

/** Commits on the primary until one waits for a synchronous replica. */
async function untilCommitsWait(): Promise<void> {
  const isWaiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
  await expect
    .poll(async () => {
      const commit = "SET synchronous_commit = on; SELECT pg_logical_emit_message(true, '', '')"
      runSql(urls.primary, commit).catch(() => undefined)
      return (await runSql(urls.primary, isWaiting)).length
    })
    .toBeGreaterThan(0)
}

async function versionOn(url: string): Promise<number> {
  return Number((await runSql(url, 'SELECT version FROM index_state'))[0]?.['version'])
}

/** A client that alternates between two processes, as behind a load balancer, and must never see a total decrease. */
function followTotals(): { stop(): Promise<readonly number[]> } {
  const totals: number[] = []
  let stopped = false
  const done = (async () => {
    for (let turn = 0; ; turn++) {
      // The last request starts after the last write.
      const isLast = stopped && totals.length > 4
      const total = await askTotal(readerOf(turn))
      if (total !== null) totals.push(total)
      if (isLast && total !== null) return
      await delay(2)
    }
  })()
  done.catch(() => undefined)
  return {
    stop: async () => {
      stopped = true
      await done
      return totals
    },
  }
}

function readerOf(turn: number): IndexReader {
  const reader = readers[turn % readers.length]
  if (reader === undefined) throw new Error('there are readers')
  return reader
}

/** The total of an answer; null when the request failed. */
async function askTotal(reader: IndexReader): Promise<number | null> {
  try {
    await reader.indexVersion()
    const fields = { detail: false, schema: false }
    const { total, rows } = await reader.listAttestations(
      { filter: everyAttestation },
      { page: 1, size: 100 },
      fields,
    )
    expect(rows.length).toBe(Math.min(total, 100))
    return total
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null
    throw error
  }
}

function inOrder(totals: readonly number[]): boolean {
  return totals.every((total, index) => total >= (totals[index - 1] ?? 0))
}

/** Reads until this server has answered a read; false when it never does. */
async function readFrom(url: string): Promise<boolean> {
  const endMs = performance.now() + waitLimitMs
  const before = await countReads(url)
  for (let turn = 0; ; turn++) {
    await askTotal(readerOf(turn))
    if ((await countReads(url)) > before) return true
    if (performance.now() > endMs) return false
    await delay(50)
  }
}

/** Reads of attestations by time. The checks of a replica's state and layout cause none. */
async function countReads(url: string): Promise<number> {
  const rows = await runSql(
    url,
    'SELECT i.idx_scan + t.seq_scan AS reads FROM pg_stat_user_indexes i JOIN pg_stat_user_tables t USING (relid) ' +
      "WHERE i.indexrelname = 'attestation_by_time'",
  )
  return Number(rows[0]?.['reads'] ?? 0)
}

async function totalOn(url: string): Promise<number> {
  const rows = await runSql(url, 'SELECT attestation_count FROM index_state')
  return Number(rows[0]?.['attestation_count'])
}

async function runSql(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}
