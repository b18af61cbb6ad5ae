import { createEmptyTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { offchainLayout } from '../offchainStore/offchainDatabase.ts'
import { openPostgresBeside } from '@attestry/store/beside/openPostgresBeside.ts'
import { describeOffchainStore } from './testing/storeSuite.ts'

describeOffchainStore('PostgreSQL', async () => {
  const { url, remove } = await createEmptyTestStore()
  return { open: (layout = offchainLayout) => openPostgresBeside(url, layout), remove }
})
