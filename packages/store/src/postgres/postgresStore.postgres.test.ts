import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { describeIndexStore } from '../testing/indexStoreContract.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'
import { testFieldIndexing } from '../testing/testPayloads.ts'

/** Part of the random histories that SQLite is tried with. */
const share = 0.3

describeIndexStore(
  'the PostgreSQL store',
  async (options) => {
    const { url, remove } = await createPostgresTestStore(options)
    return {
      openWriter: () => openPostgresWriter(url, { fields: testFieldIndexing }),
      openReader: () => openPostgresReader(url),
      remove,
    }
  },
  share,
)
