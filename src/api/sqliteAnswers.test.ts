import { createSqliteTestStore } from './testing/sqliteTestStore.ts'
import { describeStoreAnswers } from './testing/testStoreAnswers.ts'

describeStoreAnswers('SQLite', createSqliteTestStore)
