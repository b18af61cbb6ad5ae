import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../../errors/packError.ts'
import type { DatabaseConfig } from '../config/resolveDatabase.ts'
import { openDatabase } from '../openDatabase.ts'
import { yieldToReaders } from '../yieldToReaders.ts'
import { answerWriterCalls } from './answerWriterCalls.ts'
import type { WriterMessage } from './writerMessages.ts'

/**
 * The thread that writes to the database, on the one connection that does. Started by `startWriterThread`, which hands it the
 * database's configuration; it ends with the writer.
 */
yieldToReaders()

try {
  if (parentPort === null) throw new Error('this module is the body of a thread')
  // Who starts this thread is this program: the data is what `startWriterThread` gave.
  const database = await openDatabase(workerData as DatabaseConfig)
  answerWriterCalls(parentPort, database.openWriter())
  send({ kind: 'opened' })
} catch (error) {
  send({ kind: 'failed', error: packError(error) })
}

function send(message: WriterMessage): void {
  parentPort?.postMessage(message)
}
