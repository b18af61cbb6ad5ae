import { createSqliteTestStore } from '../../testing/sqliteTestStore.ts'
import { describeEarlySlices } from '../../testing/testStoreDocuments.ts'

describeEarlySlices('SQLite', createSqliteTestStore)
