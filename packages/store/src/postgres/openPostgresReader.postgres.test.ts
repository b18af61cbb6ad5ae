import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import { expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresIndex, createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { RequestEndedError } from '@attestry/core/errors/apiErrors.ts'
import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { generateBlocks, steps } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { sharedVersion } from '@attestry/core/index/indexReader.ts'
import { countWithin } from './countWithin.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'
import fc from 'fast-check'

const size = 100
const newest = [{ filter: everyAttestation }, { page: 1, size }, { detail: false, schema: true }] as const

test('total and rows of a page are of one moment, whatever is written meanwhile', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 4 })
  const [writer, reader] = [openPostgresWriter(url), openPostgresReader(url)]
  try {
    await writer.openChain(identityOf(5))
    const blocks = generateBlocks(5, [], fc.sample(steps(40), { numRuns: 1, seed: 4 })[0] ?? [], 'a')
    let isOver = false
    const reading = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const { total, rows } = await reader.listAttestations(...newest)
        expect(rows.length).toBe(Math.min(total, size))
      }
    })
    for (const block of blocks) await writer.applyBlocks(5, batchOf([block]))
    isOver = true
    await Promise.all(reading)
    const whole = await reader.listAttestations(...newest)
    expect(whole.total).toBeGreaterThan(2)
  } finally {
    await reader.close()
    await writer.close()
    await remove()
  }
})

test('a statement that takes too long is ended, and the next one is answered', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 128 })
  const reader = openPostgresReader(url, { statementTimeoutMs: 100 })
  try {
    await withTestConnection(url, async (connection) => {
      await connection.exec('BEGIN; LOCK TABLE attestation IN ACCESS EXCLUSIVE MODE')
      await expect(
        reader.findAttestation({ chainId: 5, localId: localIdOfCounter(1n) }),
      ).rejects.toBeInstanceOf(StoreUnavailableError)
      await connection.exec('ROLLBACK')
    })
    expect(await reader.listAttestations(...newest)).toEqual({ total: 0, rows: [] })
  } finally {
    await reader.close()
    await remove()
  }
})

test('a long count ends once nobody waits for it, and its connection goes on', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 128 })
  const budget = { rowsMax: 1, durationMaxMs: 60_000, atOnceMax: 1 }
  try {
    await withTestConnection(url, async (connection) => {
      let looks = 0
      const turn = (): Promise<void> => {
        looks += 1
        return looks > 1 ? Promise.reject(new RequestEndedError()) : Promise.resolve()
      }
      await connection.begin('')
      const counting = countWithin(
        { connection },
        async () => {
          await connection.get('SELECT pg_sleep(60)')
          return { result: 1, isFromRows: true }
        },
        budget,
        turn,
      )
      await expect(counting).rejects.toBeInstanceOf(RequestEndedError)
      await connection.exec('ROLLBACK')
      expect(await connection.get('SELECT 1::int8')).toEqual([1])
    })
  } finally {
    await remove()
  }
})

test('more reads than there are connections wait for one another', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 128 })
  const reader = openPostgresReader(url, { connectionsMax: 2 })
  try {
    const pages = await Promise.all(Array.from({ length: 50 }, () => reader.listAttestations(...newest)))
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([0]))
    const counted = await withTestConnection(url, (connection) =>
      connection.get(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'attestry reader' AND datname = current_database()",
      ),
    )
    expect(counted).toEqual([2])
  } finally {
    await reader.close()
    await remove()
  }
})

test('what was remembered of commits that a failover lost is in no answer', async () => {
  const options = { rankThreshold: 1_000 }
  const [lost, kept] = [await createPostgresIndex(options), await createPostgresIndex(options)]
  for (const [{ url }, seed] of [
    [lost, 4],
    [kept, 6],
  ] as const) {
    const writer = openPostgresWriter(url)
    await writer.openChain(identityOf(5))
    const life = fc.sample(steps(40), { numRuns: 9, seed }).flat()
    await writer.applyBlocks(5, batchOf(generateBlocks(5, [], life, 'a')))
    await writer.close()
  }
  const [reader, other] = [openPostgresReader(lost.url), openPostgresReader(kept.url)]
  try {
    const [version, top] = [await reader.indexVersion(), await reader.listTopSchemas(10)]
    const expected = await other.listTopSchemas(10)
    expect(expected).not.toEqual(top)
    await other.close()
    await replaceDatabase(lost.url, kept.url)
    const versionAfter = await reader.indexVersion()
    expect(sharedVersion(versionAfter)).toBe(sharedVersion(version))
    expect(versionAfter).not.toBe(version)
    expect(await reader.listTopSchemas(10)).toEqual(expected)
  } finally {
    await reader.close()
    await lost.remove()
  }
})

/** Gives a database the place of another one, as a failover does. */
async function replaceDatabase(old: string, by: string): Promise<void> {
  const server = new URL(old)
  server.pathname = '/postgres'
  const [oldName, newName] = [old, by].map((url) => new URL(url).pathname.slice(1))
  await withTestConnection(server.href, async (connection) => {
    await connection.exec(`DROP DATABASE "${oldName}" WITH (FORCE)`)
    await connection.exec(`ALTER DATABASE "${newName}" RENAME TO "${oldName}"`)
  })
}

test('a database without tables is rejected as incompatible', async () => {
  const database = await createPostgresDatabase()
  const reader = openPostgresReader(database.url)
  try {
    await expect(reader.listChains()).rejects.toBeInstanceOf(StoreIncompatibleError)
    await expect(reader.indexVersion()).rejects.toBeInstanceOf(StoreIncompatibleError)
  } finally {
    await reader.close()
    await database.remove()
  }
})
