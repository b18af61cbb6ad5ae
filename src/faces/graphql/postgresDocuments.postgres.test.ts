import { createPostgresApiStore } from '../../api/testing/postgresApiStore.ts'
import { describeEarlySlices, describeSameDocuments } from '../../api/testing/testStoreDocuments.ts'

describeSameDocuments('PostgreSQL', createPostgresApiStore, 100)
describeEarlySlices('PostgreSQL', createPostgresApiStore)
