import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { describeIndexTransfer } from '../testing/indexTransferContract.ts'
import { migrateSqlite } from '../sqlite/migrateSqlite.ts'
import { openSqliteReader } from '../sqlite/openSqliteReader.ts'
import { openSqliteRestore } from '../sqlite/openSqliteRestore.ts'
import { openSqliteWriter } from '../sqlite/openSqliteWriter.ts'
import { historyRuns } from '../testing/historyShare.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
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
