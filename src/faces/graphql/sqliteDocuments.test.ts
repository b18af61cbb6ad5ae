import { createSqliteTestStore } from '../../api/testing/sqliteTestStore.ts'
import { describeEarlySlices } from '../../api/testing/testStoreDocuments.ts'

describeEarlySlices('SQLite', createSqliteTestStore)
