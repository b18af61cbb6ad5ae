import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { openPostgresAudit } from '@attestry/store/postgres/openPostgresAudit.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresRestore } from '@attestry/store/postgres/openPostgresRestore.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { describeChunkExchange } from './testing/exchangeContract.ts'
import { isNightly } from '@attestry/test/harness/nightly.ts'

describeChunkExchange(
  'chunks from PostgreSQL into PostgreSQL',
  async () => {
    const options = { rankThreshold: 4 }
    const { url, remove } = await createPostgresTestStore(options)
    return {
      openWriter: () => openPostgresWriter(url),
      openReader: () => openPostgresReader(url),
      openRestore: () => openPostgresRestore(url, { ...options, isAlone: true }),
      openAudit: () => openPostgresAudit(url, { decodePayload: decodeIndexedPayload }),
      remove,
    }
  },
  isNightly ? 3 : 1,
)
