import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { describeIndexAudit } from '../testing/indexAuditContract.ts'
import { findMiscounts } from '../testing/recount.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'
import { openPostgresAudit } from './openPostgresAudit.ts'
import { openPostgresRepair } from './openPostgresRepair.ts'
import { testFieldIndexing, testFieldIndexingOf } from '../testing/testPayloads.ts'

/** Part of the random histories that SQLite is tried with. */
const share = 0.25

describeIndexAudit(
  'the audit of the PostgreSQL store',
  async (options) => {
    const { url, remove } = await createPostgresTestStore(options)
    return {
      openWriter: (setting = 'all', rowsPerStep) =>
        openPostgresWriter(url, { fields: testFieldIndexingOf(setting, rowsPerStep) }),
      openReader: () => openPostgresReader(url),
      openAudit: () => openPostgresAudit(url, testFieldIndexing),
      openRepair: () => openPostgresRepair(url, testFieldIndexing),
      findMiscounts: () =>
        withTestConnection(url, (connection) => findMiscounts(connection, testFieldIndexing.decodePayload)),
      remove,
    }
  },
  share,
)
