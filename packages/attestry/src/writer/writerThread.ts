import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '@attestry/core/errors/packError.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { returnMemoryAtRest } from '@attestry/host/returnMemory.ts'
import { yieldToReaders } from '@attestry/host/yieldToReaders.ts'
import { answerWriterCalls } from './answerWriterCalls.ts'
import type { WriterMessage, WriterSettings } from './writerMessages.ts'
import { startTracing } from '@attestry/tracing/startTracing.ts'

/**
 * The body of the writer's thread, which holds the only writing connection. `startWriterThread` starts the thread with
 * the `WriterSettings`; the writer is opened after the `OpenMessage`. The thread ends when the writer is closed.
 */
yieldToReaders()
returnMemoryAtRest()

try {
  if (parentPort === null) throw new Error('this module is the body of a thread')
  // `startWriterThread` passes `WriterSettings`.
  const { database: config, ...settings } = workerData as WriterSettings
  const asked = once(parentPort, 'message')
  await startTracing()
  const database = await openDatabase(config)
  await asked
  answerWriterCalls(parentPort, database.openWriter(settings))
  send({ kind: 'opened' })
} catch (error) {
  send({ kind: 'failed', error: packError(error) })
}

function send(message: WriterMessage): void {
  parentPort?.postMessage(message)
}
