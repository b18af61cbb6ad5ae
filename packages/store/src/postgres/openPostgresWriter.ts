import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { openIndexWriter, type WriterOptions } from '../writing/openIndexWriter.ts'
import { createWriterSession } from './writerSession.ts'

/**
 * Writes into the database at `url`, which `migratePostgres` has brought up to date. Calls wait for one another. The
 * connection comes about with the first call, and again with the next one after it was lost: a call during which the
 * connection is lost rejects with a `StoreUnavailableError`, and its transaction has either happened as a whole or not
 * at all, which `openChain` tells.
 */
export function openPostgresWriter(url: string, options: WriterOptions = {}): IndexWriter {
  return openIndexWriter((onRollback) => createWriterSession(url, onRollback, options.projections), options)
}
