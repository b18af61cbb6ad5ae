import { StartError } from '../errors/configErrors.ts'
import { databasePlace } from '../store/postgres/databasePlace.ts'
import { migratePostgres } from '../store/postgres/migratePostgres.ts'
import { openPostgresReader } from '../store/postgres/openPostgresReader.ts'
import { openPostgresRestore } from '../store/postgres/openPostgresRestore.ts'
import { openPostgresWriter } from '../store/postgres/openPostgresWriter.ts'
import type { Database } from './openDatabase.ts'

/** The index in the PostgreSQL database at `url`. */
export function createPostgresDatabase(url: string): Database {
  const place = databasePlace(url)
  const cannotVerify = (): never => {
    throw new StartError(
      `attestry verify reads SQLite only, and the index is in ${place}: export it, import that into a new SQLite database, and verify this one`,
    )
  }
  return {
    place,
    migrate: async () => {
      const { hasTrigramIndex } = await migratePostgres(url)
      return hasTrigramIndex ? null : withoutTrigrams
    },
    // Each chain is claimed by one process, which is enough: others stand by.
    lock: () => ({ release: () => undefined }),
    openWriter: () => openPostgresWriter(url),
    openReader: () => openPostgresReader(url),
    openRestore: () => openPostgresRestore(url),
    openAudit: cannotVerify,
    openRepair: cannotVerify,
    exists: () => true,
    measureBytes: () => null,
  }
}

const withoutTrigrams =
  'the database has no trigram index, so that names of schemas are searched one by one: let an administrator run ' +
  'CREATE EXTENSION pg_trgm in it, and start again'
