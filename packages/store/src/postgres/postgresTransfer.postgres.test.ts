import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { describeIndexTransfer } from '../testing/indexTransferContract.ts'
import { migrateSqlite } from '../sqlite/migrateSqlite.ts'
import { openSqliteReader } from '../sqlite/openSqliteReader.ts'
import { openSqliteRestore } from '../sqlite/openSqliteRestore.ts'
import { openSqliteWriter } from '../sqlite/openSqliteWriter.ts'
import { historyRuns } from '../testing/historyShare.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { restoreIndex } from '../transfer/restoreIndex.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresRestore } from './openPostgresRestore.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

/** Part of the random histories that SQLite is tried with. */
const share = 0.25

describeIndexTransfer(
  'the PostgreSQL store',
  async (options) => {
    const { url, remove } = await createPostgresTestStore(options)
    return {
      openWriter: () => openPostgresWriter(url),
      openReader: () => openPostgresReader(url),
      openRestore: () => openPostgresRestore(url, options),
      remove,
    }
  },
  share,
)

test('the same blocks give the same export from both databases, and each takes that of the other', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const folder = mkdtempSync(join(tmpdir(), 'attestry-both-'))
      const [path, moved] = [join(folder, 'index.db'), join(folder, 'moved.db')]
      const [store, other] = [await createStore(), await createStore()]
      try {
        migrateSqlite(path)
        for (const writer of [openSqliteWriter(path), openPostgresWriter(store.url)]) {
          await playHistory(writer, history)
          await writer.close()
        }
        const lines = await exportOf(openSqliteReader(path))
        expect(await exportOf(openPostgresReader(store.url))).toEqual(lines)
        await restoreIndex(streamOf(lines), openPostgresRestore(other.url))
        expect(await exportOf(openPostgresReader(other.url))).toEqual(lines)
        await restoreIndex(streamOf(lines), openSqliteRestore(moved))
        expect(await exportOf(openSqliteReader(moved))).toEqual(lines)
      } finally {
        await store.remove()
        await other.remove()
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: historyRuns(12), verbose: 1 },
  )
})

test('indexes of a restore are read in its own transaction, and later without their rows', async () => {
  const [from, into] = [await createStore(), await createStore()]
  try {
    const writer = openPostgresWriter(from.url)
    await writer.openChain(identityOf(5))
    await writer.applyBlocks(5, batchOf(generateBlocks(5, [], lifeWithRevocations, 'a')))
    await writer.close()
    const lines = await exportOf(openPostgresReader(from.url))
    await restoreIndex(streamOf(lines), openPostgresRestore(into.url, { isAlone: true }))
    await withTestConnection(into.url, async (connection) => {
      const revoked = 'SELECT count(*) FROM attestation WHERE revoked_id IS NOT NULL'
      expect((await connection.get<[number]>(revoked))?.[0]).toBeGreaterThan(100)
      const unread = 'SELECT CAST(CAST(indexrelid AS regclass) AS text) FROM pg_index WHERE indcheckxmin'
      expect(await connection.all<[string]>(unread)).toEqual([])
      const unmarked =
        "SELECT CAST(relname AS text) FROM pg_class WHERE relkind = 'r' AND relallvisible < relpages " +
        "AND relnamespace = CAST('public' AS regnamespace) AND relname <> 'attestry_layout'"
      expect(await connection.all<[string]>(unmarked)).toEqual([])
    })
  } finally {
    await from.remove()
    await into.remove()
  }
})

/** Attestations of which every third is revoked in a later block. */
const lifeWithRevocations: readonly Step[] = Array.from({ length: 900 }, (_, index) => ({
  kind: index < 9 ? 0 : index % 3 === 2 ? 3 : 12,
  gap: index % 30 === 0 ? 1 : 0,
  who: index % 4,
  whom: index % 6,
  what: index < 9 ? index : Math.floor(index / 2),
  text: 1,
}))

function createStore() {
  return createPostgresTestStore({ rankThreshold: 4 })
}

async function exportOf(reader: IndexReader): Promise<string[]> {
  try {
    const lines: string[] = []
    for await (const line of reader.exportLines({ program: '0.0.0-test' })) lines.push(line)
    return lines
  } finally {
    await reader.close()
  }
}

async function* streamOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
