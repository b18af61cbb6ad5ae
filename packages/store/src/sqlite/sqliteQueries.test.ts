import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { describeIndexQueries } from '../testing/indexQueriesContract.ts'
import { decodeTestPayload, testFieldIndexingOf } from '../testing/testPayloads.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describeIndexQueries('the queries of the SQLite store', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: (setting) =>
      openSqliteWriter(path, { group: { batchEvents: 0 }, fields: testFieldIndexingOf(setting) }),
    openReader: (limits) => openSqliteReader(path, { ...limits, decodePayload: decodeTestPayload }),
    remove,
  })
})
