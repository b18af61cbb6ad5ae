import { createPostgresTestStore } from '../../../test/harness/postgresTestStore.ts'
import { describeIndexWriter } from '../../store/indexStoreContract.ts'
import { openPostgresReader } from '../../store/postgres/openPostgresReader.ts'
import { startWriterThread } from './connectWriter.ts'

/** Part of the random histories that the store is tried with: each of them makes a database and starts a thread. */
const share = 0.05

describeIndexWriter(
  'the PostgreSQL store written to in a thread',
  async (options) => {
    const { url, remove } = await createPostgresTestStore(options)
    const { writer } = await startWriterThread({
      database: { kind: 'postgres', url, replicas: [] },
    })
    return { openWriter: () => writer, openReader: () => openPostgresReader(url), remove }
  },
  share,
)
