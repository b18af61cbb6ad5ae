import { Worker } from 'node:worker_threads'
import type { DatabaseConfig } from '../config/resolveDatabase.ts'
import { openDatabase } from '../openDatabase.ts'
import { connectWriter, type WriterThread } from './connectWriter.ts'

/**
 * Opens a writer in a thread of its own, so that what it does, and what it waits for, keeps nobody here from working. The database is
 * of this version already, and whoever calls this holds its lock until the writer is closed.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export async function startWriterThread(config: DatabaseConfig): Promise<WriterThread> {
  const { place } = await openDatabase(config)
  const worker = new Worker(new URL('./writerThread.ts', import.meta.url), { workerData: config })
  return await connectWriter(worker, place)
}
