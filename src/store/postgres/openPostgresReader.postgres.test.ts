import { expect, test } from 'vitest'
import { withTestConnection } from '../../../test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '../../../test/harness/postgresTestStore.ts'
import { StoreIncompatibleError, StoreUnavailableError } from '../../errors/storeErrors.ts'
import { localIdOfCounter } from '../../model/compositeId.ts'
import { createPostgresDatabase } from '../../../test/harness/postgresDatabase.ts'
import { generateBlocks, steps } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'
import fc from 'fast-check'

const newest = { schema: null, keyword: null, page: 1, size: 100, fields: { detail: false, schema: true } }

test('total and rows of a page are of one moment, whatever is written meanwhile', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 4 })
  const [writer, reader] = [openPostgresWriter(url), openPostgresReader(url)]
  try {
    await writer.openChain(identityOf(5))
    const blocks = generateBlocks(5, [], fc.sample(steps(40), { numRuns: 1, seed: 4 })[0] ?? [], 'a')
    let isOver = false
    const reading = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const { total, rows } = await reader.listAttestations(newest)
        expect(rows.length).toBe(Math.min(total, newest.size))
      }
    })
    for (const block of blocks) await writer.applyBlocks(5, batchOf([block]))
    isOver = true
    await Promise.all(reading)
    const whole = await reader.listAttestations(newest)
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
    expect(await reader.listAttestations(newest)).toEqual({ total: 0, rows: [] })
  } finally {
    await reader.close()
    await remove()
  }
})

test('more reads than there are connections wait for one another', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 128 })
  const reader = openPostgresReader(url, { connectionsMax: 2 })
  try {
    const pages = await Promise.all(Array.from({ length: 50 }, () => reader.listAttestations(newest)))
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

test('a database without tables is told of as such', async () => {
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
