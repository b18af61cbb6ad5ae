import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { offchainLayout } from '../offchainStore/offchainDatabase.ts'
import { openPostgresBeside } from '@attestry/store/beside/openPostgresBeside.ts'
import { describeOffchainStore } from './testing/storeSuite.ts'

describeOffchainStore('PostgreSQL', async () => {
  const { url, remove } = await createPostgresDatabase()
  return { open: (layout = offchainLayout) => openPostgresBeside(url, layout), remove }
})
