import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { openIndexWriter } from '../writing/openIndexWriter.ts'
import { openSqliteSession, type SqliteWriterOptions } from './writerSession.ts'

/**
 * Writes into the database at `path`, which `migrateSqlite` has brought up to date. Each call is one transaction, which
 * batches of a backfill share.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteWriter(path: string, options: SqliteWriterOptions = {}): IndexWriter {
  return openIndexWriter((onRollback) => openSqliteSession(path, options, onRollback), options)
}
