import { Worker } from 'node:worker_threads'
import { type AttestryError, describeError } from '@attestry/core/errors/baseError.ts'
import { unpackError } from '@attestry/core/errors/packError.ts'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { youngGeneration } from '@attestry/host/collectEarly.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { createOpenQuestions } from '@attestry/host/openQuestions.ts'
import type { OpenMessage, WriterAnswer, WriterMessage, WriterSettings } from './writerMessages.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'

/** A writer in a thread of its own. */
export interface WriterThread {
  /** Calls reach the thread in their order. `close` ends the thread after the pending calls. */
  readonly writer: IndexWriter
  /** Rejects with a `StoreUnavailableError` when the thread ends before `close`; else never settles. */
  readonly failed: Promise<never>
}

/** An answer, or the error with which the thread ended. */
type Outcome = WriterAnswer | { readonly kind: 'lost'; readonly error: AttestryError }

/**
 * Opens a writer in a thread of its own, so that this thread never waits for the database. The database has the layout
 * of this version, and the caller holds its lock until the writer is closed.
 * @param migrated resolves when the database has the layout. The thread loads its modules meanwhile.
 * @throws StoreUnavailableError, StoreIncompatibleError, and the error of `migrated`
 */
export async function startWriterThread(
  settings: WriterSettings,
  migrated: Promise<void> = Promise.resolve(),
): Promise<WriterThread> {
  // It may reject before this function waits for it.
  migrated.catch(() => undefined)
  const { place } = await openDatabase(settings.database)
  const worker = new Worker(moduleBeside(import.meta.url, './writerThread'), {
    workerData: settings,
    resourceLimits: youngGeneration.writing,
  })
  const connecting = connectWriter(worker, place)
  migrated.then(
    () => worker.postMessage('open' satisfies OpenMessage),
    () => void worker.terminate(),
  )
  const [, thread] = await Promise.all([migrated, connecting])
  return thread
}

/**
 * Connects to the writer of a thread; `place` names its database in messages. After the end of the thread every pending
 * and every later call rejects with a `StoreUnavailableError`; a pending call has been committed as a whole or not at
 * all.
 * @throws the error with which the thread failed to open the database.
 */
export async function connectWriter(worker: Worker, place: string): Promise<WriterThread> {
  const calls = createOpenQuestions<Outcome>()
  const opened = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<never>()
  const ended = Promise.withResolvers<void>()
  let cause: unknown
  let closing: Promise<void> | null = null
  let closeId: number | null = null
  let isClosed = false
  let gone: StoreUnavailableError | null = null

  worker.on('message', (message: WriterMessage) => {
    switch (message.kind) {
      case 'opened':
        return opened.resolve()
      case 'failed':
        return opened.reject(unpackError(message.error))
      default:
        // Set here: the thread may exit in the same turn as it answers.
        isClosed ||= message.id === closeId
        return calls.answer(message.id, message)
    }
  })
  worker.on('error', (error) => {
    cause ??= error
  })
  worker.on('messageerror', (error) => {
    cause ??= error
    void worker.terminate()
  })
  worker.once('exit', () => {
    gone = isClosed ? closedError(place) : endedError(place, cause)
    calls.answerAll({ kind: 'lost', error: gone })
    opened.reject(gone)
    if (!isClosed) failed.reject(gone)
    ended.resolve()
  })
  // The failed calls report the failure as well.
  failed.promise.catch(() => undefined)
  await opened.promise

  function ask<Method extends keyof IndexWriter>(
    method: Method,
    args: Parameters<IndexWriter[Method]>,
  ): Promise<Awaited<ReturnType<IndexWriter[Method]>>> {
    return resultOf<Method>(post(method, args))
  }

  /**
   * Sends a call. Not async, so that a pending call does not hold its arguments: the thread has its own copy of a
   * batch.
   */
  function post<Method extends keyof IndexWriter>(
    method: Method,
    args: Parameters<IndexWriter[Method]>,
  ): Promise<Outcome> {
    if (gone !== null) return Promise.reject(gone)
    // The message is a `WriterCall`; the type parameter cannot express that method and arguments belong together.
    return calls.ask((id) => {
      if (method === 'close') closeId = id
      worker.postMessage({ id, method, args })
    })
  }

  async function resultOf<Method extends keyof IndexWriter>(
    answered: Promise<Outcome>,
  ): Promise<Awaited<ReturnType<IndexWriter[Method]>>> {
    const outcome = await answered
    switch (outcome.kind) {
      case 'done':
        // The result is that of the method of this name.
        return outcome.result as Awaited<ReturnType<IndexWriter[Method]>>
      case 'refused':
        throw unpackError(outcome.error)
      case 'lost':
        throw outcome.error
    }
  }

  async function end(): Promise<void> {
    try {
      await ask('close', [])
    } finally {
      await ended.promise
    }
  }

  const writer: IndexWriter = {
    claimChain: (...args) => ask('claimChain', args),
    surveyChains: (...args) => ask('surveyChains', args),
    releaseChain: (...args) => ask('releaseChain', args),
    openChain: (...args) => ask('openChain', args),
    listContracts: (...args) => ask('listContracts', args),
    applyBlocks: (...args) => ask('applyBlocks', args),
    revertBlocks: (...args) => ask('revertBlocks', args),
    advanceFields: (...args) => ask('advanceFields', args),
    saveChainStatus: (...args) => ask('saveChainStatus', args),
    forgetBlocks: (...args) => ask('forgetBlocks', args),
    markDefect: (...args) => ask('markDefect', args),
    noteVerification: (...args) => ask('noteVerification', args),
    readEventPositions: (...args) => ask('readEventPositions', args),
    countRecords: (...args) => ask('countRecords', args),
    listSubjectCounts: (...args) => ask('listSubjectCounts', args),
    claimHooks: (...args) => ask('claimHooks', args),
    saveHooks: (...args) => ask('saveHooks', args),
    orderHook: (...args) => ask('orderHook', args),
    // A thread that has ended has closed its writer.
    close: () => (closing ??= gone === null ? end() : Promise.resolve()),
  }
  return { writer, failed: failed.promise }
}

function endedError(place: string, cause: unknown): StoreUnavailableError {
  const reason = cause === undefined ? '' : `: ${describeError(cause)}`
  return new StoreUnavailableError(
    `the thread that writes to the database ${place} ended unexpectedly${reason}`,
    {
      cause,
      facts: { database: place },
    },
  )
}

function closedError(place: string): StoreUnavailableError {
  return new StoreUnavailableError(`the database ${place} is closed`, { facts: { database: place } })
}
