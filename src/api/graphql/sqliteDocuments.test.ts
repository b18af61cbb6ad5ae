import { createSqliteTestStore } from '../testing/sqliteTestStore.ts'
import { describeStoreDocuments } from './testing/testStoreDocuments.ts'

describeStoreDocuments('SQLite', createSqliteTestStore, 600)
