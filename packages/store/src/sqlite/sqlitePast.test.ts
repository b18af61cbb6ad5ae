import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { describeIndexPast } from '../testing/indexPastContract.ts'
import { decodeTestPayload, testFieldIndexingOf } from '../testing/testPayloads.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describeIndexPast('the SQLite store as of a moment', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: (setting) =>
      openSqliteWriter(path, { group: { batchEvents: 0 }, fields: testFieldIndexingOf(setting) }),
    openReader: (limits) => openSqliteReader(path, { ...limits, decodePayload: decodeTestPayload }),
    remove,
  })
})
