import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeIndexStore } from '../indexStoreContract.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describeIndexStore('the SQLite store', ({ rankThreshold }) => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-store-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { rankThreshold })
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path, { group: { batchEvents: 0 } }),
    openReader: () => openSqliteReader(path),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
})
