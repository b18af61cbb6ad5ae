import { createPostgresApiStore } from '../../testing/postgresApiStore.ts'
import { describeEarlySlices, describeSameDocuments } from '../../testing/testStoreDocuments.ts'

describeSameDocuments('PostgreSQL', createPostgresApiStore, 100)
describeEarlySlices('PostgreSQL', createPostgresApiStore)
