import { createPostgresApiStore } from './testing/postgresApiStore.ts'
import { describeSharedIds } from './testing/testSharedIds.ts'
import { describeFollowing, describeSameAnswers } from './testing/testStoreAnswers.ts'

describeSameAnswers('PostgreSQL', createPostgresApiStore)
describeFollowing('PostgreSQL', createPostgresApiStore)
describeSharedIds('PostgreSQL', createPostgresApiStore)
