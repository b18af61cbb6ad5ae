import { createPostgresTestStore } from '../../../test/harness/postgresTestStore.ts'
import { describeIndexStore } from '../indexStoreContract.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

describeIndexStore('the PostgreSQL store', async (options) => {
  const { url, remove } = await createPostgresTestStore(options)
  return { openWriter: () => openPostgresWriter(url), openReader: () => openPostgresReader(url), remove }
})
