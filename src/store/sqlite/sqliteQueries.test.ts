import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeIndexQueries } from '../indexQueriesContract.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describeIndexQueries('the queries of the SQLite store', ({ rankThreshold }) => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-queries-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { rankThreshold })
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path, { group: { batchEvents: 0 } }),
    openReader: (limits) => openSqliteReader(path, limits),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
})
