import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { openIndexWriter, type WriterOptions } from '../writing/openIndexWriter.ts'
import { createWriterSession } from './writerSession.ts'

/**
 * Writes into the database at `url`, which `migratePostgres` has brought up to date. Calls wait for one another. The
 * first call opens the connection, and the next call after a loss opens a new one. A call during which the connection
 * is lost rejects with a `StoreUnavailableError`. Its transaction has then happened either as a whole or not at all,
 * which `openChain` shows.
 */
export function openPostgresWriter(url: string, options: WriterOptions = {}): IndexWriter {
  return openIndexWriter((onRollback) => createWriterSession(url, onRollback, options.projections), options)
}
