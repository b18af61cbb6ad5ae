import { openPostgresAudit } from '../store/postgres/openPostgresAudit.ts'
import { openPostgresRepair } from '../store/postgres/openPostgresRepair.ts'
import { databasePlace } from '../store/postgres/databasePlace.ts'
import { migratePostgres } from '../store/postgres/migratePostgres.ts'
import { openPostgresReader } from '../store/postgres/openPostgresReader.ts'
import { openPostgresRestore } from '../store/postgres/openPostgresRestore.ts'
import { openPostgresWriter } from '../store/postgres/openPostgresWriter.ts'
import type { PostgresConfig } from './config/resolveDatabase.ts'
import { decodeAttestedPayload } from '../protocols/decodeAttestedPayload.ts'
import type { Database } from './database.ts'

/** The index in a PostgreSQL database. */
export function createPostgresDatabase({ url, replicas }: PostgresConfig): Database {
  const place = databasePlace(url)
  return {
    place,
    migrate: async () => {
      const { hasTrigramIndex } = await migratePostgres(url)
      return hasTrigramIndex ? null : withoutTrigrams
    },
    // Each chain is claimed by one session instead; other indexers stand by.
    lock: () => ({ release: () => undefined }),
    openWriter: (journal) => openPostgresWriter(url, { journal }),
    openReader: () => openPostgresReader(url, { replicas, decodePayload: decodeAttestedPayload }),
    openRestore: () => openPostgresRestore(url),
    openAudit: () => openPostgresAudit(url, decodeAttestedPayload),
    openRepair: () => openPostgresRepair(url, decodeAttestedPayload),
    exists: () => true,
    measureBytes: () => null,
  }
}

const withoutTrigrams =
  'the database has no trigram index, so that names of schemas are searched one by one: let an administrator run ' +
  'CREATE EXTENSION pg_trgm in it, and start again'
