import { createPostgresDatabase } from '../harness/postgresDatabase.ts'
import { describePublishing } from './describePublishing.ts'

describePublishing('an index in PostgreSQL', async () => (await createPostgresDatabase()).url, {
  isSecond: true,
})
