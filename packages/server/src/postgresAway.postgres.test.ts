import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgresServer, type PostgresServer } from '@attestry/test/harness/postgresServer.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { createServer } from './testing/createServer.ts'
import { createSampleIndex } from './pipeline/testing/sampleIndex.ts'
import { writeContent } from './pipeline/testing/testIndex.ts'

/** A separate server, since the test kills it. */
let postgres: PostgresServer
let url = ''

beforeAll(async () => {
  postgres = await startPostgresServer({ durable: true })
  url = await postgres.createDatabase('attestry')
  await migratePostgres(url)
  const writer = openPostgresWriter(url)
  await writeContent(writer, createSampleIndex())
  await writer.close()
})
afterAll(() => postgres.stop())

test('a server that is killed while it is read from costs a 503 until it is back, and nothing else', async () => {
  const reader = openPostgresReader(url)
  const app = createServer({ reader, decodePayload: decodeAttestedPayload })
  // No answer of this test may come from the cache.
  const ask = async () => {
    const { statusCode, headers, body } = await app.inject(
      `/scan/attestations?size=7&page=2&at=${randomUUID()}`,
    )
    return { statusCode, retryAfter: headers['retry-after'], body }
  }
  try {
    const before = await ask()
    expect(before.statusCode).toBe(200)

    // Requests are under way all the time; each gets an answer, or an error that the store is away.
    let isOver = false
    const met: Awaited<ReturnType<typeof ask>>[] = []
    const asking = Array.from({ length: 4 }, async () => {
      while (!isOver) met.push(await ask())
    })
    await expect.poll(() => met.length).toBeGreaterThan(20)
    await postgres.kill()
    await expect.poll(() => met.at(-1)?.statusCode).toBe(503)
    const ready = await app.inject('/readyz')
    expect([ready.statusCode, ready.json<{ data: { status: string } }>().data.status]).toEqual([
      503,
      'storeUnavailable',
    ])
    await postgres.restart()
    await expect.poll(() => met.at(-1)?.statusCode).toBe(200)
    isOver = true
    await Promise.all(asking)

    for (const answer of met) {
      const { statusCode, retryAfter } = answer
      expect([statusCode, retryAfter]).toEqual(statusCode === 200 ? [200, before.retryAfter] : [503, '5'])
      expect(statusCode === 200 ? answer.body : before.body).toBe(before.body)
      expect(answer.body).not.toMatch(/127\.0\.0\.1|attestry:|postgres/i)
    }
  } finally {
    await app.close()
    await reader.close()
  }
})

test('a server that was restarted between two requests is not noticed', async () => {
  const reader = openPostgresReader(url)
  try {
    const version = await reader.indexVersion()
    const chains = await reader.listChains()
    await postgres.kill()
    await postgres.restart()
    expect(await reader.listChains()).toEqual(chains)
    // Another server may have taken over: cached reads of the first one are void.
    expect(await reader.indexVersion()).not.toBe(version)
  } finally {
    await reader.close()
  }
})
