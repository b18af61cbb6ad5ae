import { createSqliteTestStore } from '../../../test/harness/sqliteTestStore.ts'
import { describeIndexQueries } from '../indexQueriesContract.ts'
import { decodeTestPayload, testFieldIndexing } from '../testing/testPayloads.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describeIndexQueries('the queries of the SQLite store', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path, { group: { batchEvents: 0 }, fields: testFieldIndexing }),
    openReader: (limits) => openSqliteReader(path, { ...limits, decodePayload: decodeTestPayload }),
    remove,
  })
})
