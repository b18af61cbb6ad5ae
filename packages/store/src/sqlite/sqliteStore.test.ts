import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { describeIndexStore } from '../testing/indexStoreContract.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { testFieldIndexing } from '../testing/testPayloads.ts'

describeIndexStore('the SQLite store', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path, { group: { batchEvents: 0 }, fields: testFieldIndexing }),
    openReader: () => openSqliteReader(path),
    remove,
  })
})
