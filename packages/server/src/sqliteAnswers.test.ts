import { createSqliteTestStore } from './testing/sqliteTestStore.ts'
import { describeSharedIds } from './testing/testSharedIds.ts'
import { describeFollowing } from './testing/testStoreAnswers.ts'

describeFollowing('SQLite', createSqliteTestStore)
describeSharedIds('SQLite', createSqliteTestStore)
