import { createSqliteTestStore } from '../../../test/harness/sqliteTestStore.ts'
import { describeIndexAudit } from '../indexAuditContract.ts'
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
    openAudit: () => openSqliteAudit(path, testFieldIndexing.decodePayload),
    openRepair: () => openSqliteRepair(path, testFieldIndexing.decodePayload),
    findMiscounts: async () => {
      const connection = openConnection(path, { readOnly: true, cacheMib: 1 })
      const recipients = "attestation a, json_each('[' || a.recipient_ids || ']') r"
      const miscounts = await findMiscounts(connection, { recipients, ...testFieldIndexing })
      connection.close()
      return miscounts
    },
    remove,
  })
})
