import { createSqliteTestStore } from './testing/sqliteTestStore.ts'
import { describeFollowing } from './testing/testStoreAnswers.ts'

describeFollowing('SQLite', createSqliteTestStore)
