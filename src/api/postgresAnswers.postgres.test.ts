import { createPostgresApiStore } from './testing/postgresApiStore.ts'
import { describeStoreAnswers } from './testing/testStoreAnswers.ts'

describeStoreAnswers('PostgreSQL', createPostgresApiStore)
