import { checkServer, checkSessions } from '@attestry/store/postgres/checkServer.ts'
import { openPostgresAudit } from '@attestry/store/postgres/openPostgresAudit.ts'
import { openPostgresRepair } from '@attestry/store/postgres/openPostgresRepair.ts'
import { databasePlace } from '@attestry/store/postgres/databasePlace.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openPostgresOutbox } from '@attestry/store/postgres/openOutbox.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresRestore } from '@attestry/store/postgres/openPostgresRestore.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import type { PostgresConfig } from './config/resolveDatabase.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import type { Projection } from '@attestry/store/port/projection.ts'
import type { Database } from './database.ts'
import { createFieldIndexing, fieldsDefault, readings } from './fieldSetting.ts'

/** The index in a PostgreSQL database. */
export function createPostgresDatabase(
  { url }: PostgresConfig,
  projections: readonly Projection[] = [],
): Database {
  const place = databasePlace(url)
  return {
    place,
    migrate: async () => {
      const { hasTrigramIndex, viewProblem } = await migratePostgres(url, { projections })
      const notices = [hasTrigramIndex ? null : withoutTrigrams, viewProblem].filter((each) => each !== null)
      return notices.length === 0 ? null : notices.join('; ')
    },
    checkSessions: async () => [await checkSessions(url)],
    check: () => checkServer(url),
    // Each chain is claimed by one session instead; other indexers stand by.
    lock: () => ({ [Symbol.dispose]: () => undefined }),
    openWriter: ({ fields = fieldsDefault, journal } = {}) =>
      openPostgresWriter(url, { fields: createFieldIndexing(fields), journal, projections }),
    openReader: () => openPostgresReader(url, { decodePayload: decodeIndexedPayload, projections }),
    openOutbox: (limits) => openPostgresOutbox(url, limits),
    openRestore: (fields, isAlone = false) =>
      openPostgresRestore(url, { fields: createFieldIndexing(fields), isAlone, projections }),
    openAudit: () => openPostgresAudit(url, { ...readings, projections }),
    openRepair: () => openPostgresRepair(url, { ...readings, projections }),
    exists: () => true,
    measureBytes: () => null,
  }
}

const withoutTrigrams =
  'the database has no trigram index, so that names of schemas are searched one by one: let an administrator run ' +
  'CREATE EXTENSION pg_trgm in it, and start again'
