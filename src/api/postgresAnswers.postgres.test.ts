import { createPostgresApiStore } from './testing/postgresApiStore.ts'
import { describeFollowing, describeSameAnswers } from './testing/testStoreAnswers.ts'

describeSameAnswers('PostgreSQL', createPostgresApiStore)
describeFollowing('PostgreSQL', createPostgresApiStore)
