import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { describeIndexQueries } from '../testing/indexQueriesContract.ts'
import { decodeTestPayload, testFieldIndexingOf } from '../testing/testPayloads.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

/** Part of the random histories that SQLite is tried with. */
const share = 0.25

describeIndexQueries(
  'the queries of the PostgreSQL store',
  async (options) => {
    const { url, remove } = await createPostgresTestStore(options)
    return {
      openWriter: (setting) => openPostgresWriter(url, { fields: testFieldIndexingOf(setting) }),
      openReader: (limits) => openPostgresReader(url, { ...limits, decodePayload: decodeTestPayload }),
      remove,
    }
  },
  share,
)
