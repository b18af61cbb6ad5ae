import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeIndexAudit } from '../../indexAuditContract.ts'
import { migrateSqlite } from '../migrateSqlite.ts'
import { openSqliteReader } from '../openSqliteReader.ts'
import { openSqliteWriter } from '../openSqliteWriter.ts'
import { openSqliteAudit } from './openSqliteAudit.ts'
import { openSqliteRepair } from './openSqliteRepair.ts'

describeIndexAudit('the audit of the SQLite store', ({ rankThreshold }) => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-audit-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { rankThreshold })
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path),
    openReader: () => openSqliteReader(path),
    openAudit: () => openSqliteAudit(path),
    openRepair: () => openSqliteRepair(path),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
})
