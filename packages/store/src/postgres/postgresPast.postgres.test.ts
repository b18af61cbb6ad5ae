import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { describeIndexPast } from '../testing/indexPastContract.ts'
import { decodeTestPayload, testFieldIndexingOf } from '../testing/testPayloads.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

/** Part of the random histories that SQLite is tried with. */
const share = 0.2

describeIndexPast(
  'the PostgreSQL store as of a moment',
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
