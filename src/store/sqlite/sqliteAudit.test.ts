import { createSqliteTestStore } from '../../../test/harness/sqliteTestStore.ts'
import { describeIndexAudit } from '../indexAuditContract.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { openSqliteAudit } from './openSqliteAudit.ts'
import { openSqliteRepair } from './openSqliteRepair.ts'

describeIndexAudit('the audit of the SQLite store', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path),
    openReader: () => openSqliteReader(path),
    openAudit: () => openSqliteAudit(path),
    openRepair: () => openSqliteRepair(path),
    remove,
  })
})
