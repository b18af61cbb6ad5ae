import { createPostgresApiStore } from '../testing/postgresApiStore.ts'
import { describeStoreDocuments } from './testing/testStoreDocuments.ts'

describeStoreDocuments('PostgreSQL', createPostgresApiStore, 100)
