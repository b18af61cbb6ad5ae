import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import { describeIndexWriter } from '@attestry/store/testing/indexStoreContract.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { startWriterThread } from './connectWriter.ts'
import { isNightly } from '@attestry/test/harness/nightly.ts'

/** Part of the random histories that the store is tried with directly: each of them starts a thread. */
const share = 0.08

// Each test starts a thread; the tests that start the program write by it in every run.
if (isNightly) {
  describeIndexWriter(
    'the SQLite store written to in a thread',
    async (options) => {
      const { path, remove } = createSqliteTestStore(options)
      const { writer } = await startWriterThread({ database: { kind: 'sqlite', path } })
      return {
        openWriter: () => writer,
        openReader: () => openSqliteReader(path),
        remove,
      }
    },
    share,
  )
}

test('throws the same error as without a thread if the file is not a database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-thread-'))
  try {
    const path = join(folder, 'index.db')
    writeFileSync(path, 'this is no database, and long enough to be seen as none'.repeat(10))
    await expect(startWriterThread({ database: { kind: 'sqlite', path } })).rejects.toBeInstanceOf(
      StoreIncompatibleError,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('opens the database after it is migrated, and ends if that fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-thread-'))
  try {
    const settings = { database: { kind: 'sqlite', path: join(folder, 'index.db') } } as const
    const failure = new Error('no migration')
    await expect(startWriterThread(settings, Promise.reject(failure))).rejects.toBe(failure)

    // The thread has loaded its modules by then.
    const migrated = delay(1_000).then(() => migrateSqlite(settings.database.path))
    const { writer } = await startWriterThread(settings, migrated)
    expect(await writer.claimChain(1)).toBe(true)
    await writer.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
