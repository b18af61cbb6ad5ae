import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { describeIndexAudit } from '../testing/indexAuditContract.ts'
import { findMiscounts } from '../testing/recount.ts'
import { openConnection } from './connection.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { openSqliteAudit } from './openSqliteAudit.ts'
import { openSqliteRepair } from './openSqliteRepair.ts'
import { testFieldIndexing, testFieldIndexingOf } from '../testing/testPayloads.ts'

describeIndexAudit('the audit of the SQLite store', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: (setting = 'all', rowsPerStep) =>
      openSqliteWriter(path, { fields: testFieldIndexingOf(setting, rowsPerStep) }),
    openReader: () => openSqliteReader(path),
    openAudit: () => openSqliteAudit(path, testFieldIndexing),
    openRepair: () => openSqliteRepair(path, testFieldIndexing),
    findMiscounts: async () => {
      const connection = openConnection(path, { readOnly: true, cacheMib: 1 })
      const miscounts = await findMiscounts(connection, testFieldIndexing.decodePayload)
      connection.close()
      return miscounts
    },
    remove,
  })
})
