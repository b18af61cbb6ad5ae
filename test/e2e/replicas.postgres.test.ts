import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { generateBlocks, steps, type GeneratedBlock } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { startReplicatedPostgres, type ReplicatedPostgres } from '../harness/postgresServer.ts'
import { projections } from '../harness/projections.ts'

/** A primary that is written to, and a streaming replica that is served. */

const chainId = 5

let servers: ReplicatedPostgres
let urls: { readonly primary: string; readonly replica: string }
let writer: IndexWriter
let blocks: GeneratedBlock[] = []

beforeAll(async () => {
  servers = await startReplicatedPostgres(1)
  const primary = await servers.primary.createDatabase('attestry')
  urls = { primary, replica: servers.replicas[0]?.urlOf('attestry') ?? '' }
  await migratePostgres(primary, { projections })
  writer = openPostgresWriter(primary, { projections })
  await writer.openChain(identityOf(chainId))
  await write()
})
afterAll(async () => {
  await writer.close()
  await servers.stop()
})

test('a replica answers its own state, says so, and is behind while it replays nothing', async () => {
  await expect.poll(() => stateOf(urls.replica).catch(() => null)).toEqual(await stateOf(urls.primary))
  // A process that serves finds nothing to migrate.
  await migratePostgres(urls.replica, { projections })
  const reader = openPostgresReader(urls.replica, { projections })
  let now = Date.now()
  const app = createServer({ reader, now: () => unixMilliseconds(now), findPublished: () => null })
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await app.inject({ url: '/scan/attestations', headers })
    const { total } = answer.json<{ data: { total?: number } | null }>().data ?? {}
    return [
      answer.statusCode,
      answer.headers['x-attestry-version'],
      total,
      answer.headers['x-attestry-behind'],
    ]
  }
  const before = await stateOf(urls.replica)
  expect(await ask()).toEqual([200, before.version, before.total, undefined])

  await runSql(urls.replica, 'SELECT pg_wal_replay_pause()')
  await write(9)
  const written = await stateOf(urls.primary)
  expect(written.total).toBeGreaterThan(before.total)
  now += 3_600_000
  expect(await ask()).toEqual([200, before.version, before.total, expect.stringMatching(/^5:/)])
  expect((await ask({ 'if-attestry-version-at-least': written.version }))[0]).toBe(412)

  await runSql(urls.replica, 'SELECT pg_wal_replay_resume()')
  await expect.poll(() => stateOf(urls.replica)).toEqual(written)
  expect((await ask({ 'if-attestry-version-at-least': written.version })).slice(0, 3)).toEqual([
    200,
    written.version,
    written.total,
  ])
  await app.close()
  await reader.close()
})

/** Applies further blocks, with a status of this moment. */
async function write(lives = 1): Promise<void> {
  const made = generateBlocks(
    chainId,
    blocks,
    fc.sample(steps(12), { numRuns: lives, seed: blocks.length + 1 }).flat(),
    'a',
  )
  await writer.applyBlocks(chainId, batchOf(made))
  blocks = [...blocks, ...made]
  const newest = blocks.at(-1)
  await writer.saveChainStatus({
    ...identityOf(chainId),
    explorer: null,
    protocols: ['sign'],
    phase: 'following',
    headBlock: newest?.number ?? null,
    headTimestamp: newest?.timestamp ?? null,
    indexedBlock: newest?.number ?? null,
    indexedTimestamp: newest?.timestamp ?? null,
    headSource: 'polling',
    fromChunks: null,
    reachedHead: true,
    eventsPerSecond: 0,
    blocksMended: 0,
    history: [],
    lastError: null,
    updatedAt: unixMilliseconds(Date.now()),
  })
}

async function stateOf(url: string): Promise<{ readonly version: string; readonly total: number }> {
  const [row] = await runSql(url, 'SELECT version, attestation_count FROM index_state')
  return { version: String(row?.['version']), total: Number(row?.['attestation_count']) }
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
