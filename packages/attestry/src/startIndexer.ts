import { Worker } from 'node:worker_threads'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import { collectWhileIndexing, youngGeneration } from '@attestry/host/collectEarly.ts'
import type { IndexerMessage, IndexerSettings, StopMessage } from './indexerMessages.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'

/** The indexer, running in its own thread. */
export interface RunningIndexer {
  /** Resolves when answers may begin: until then the index says of each chain what the last run knew. */
  readonly ready: Promise<void>
  /**
   * Settles at the end of the thread: resolves after `stop`, rejects with `StartError` when the thread ended by itself.
   */
  readonly ended: Promise<void>
  /** Resolves when every chain has stopped on a broken invariant. */
  readonly idle: Promise<void>
  /** Ends the thread after the commit in flight; after `stopGraceMs` terminates the thread. Never rejects. */
  stop(): Promise<void>
}

export interface IndexerListener {
  readonly log: SyncLog
  readonly onStatus: (status: ChainStatus) => void
  readonly onRpcCounts: (counts: readonly RpcCount[]) => void
}

/** Time for the thread to end by itself. The database stays valid wherever the thread is terminated. */
const stopGraceMs = 1_200

/**
 * Starts the thread; resolves when the thread holds the lock of the database and has migrated the database. `signal`
 * aborts the start; afterwards use `stop`.
 * @throws StartError when another process indexes into the database, or it cannot be opened.
 */
export async function startIndexer(
  settings: IndexerSettings,
  { log, onStatus, onRpcCounts }: IndexerListener,
  signal: AbortSignal,
): Promise<RunningIndexer> {
  collectWhileIndexing()
  const worker = new Worker(moduleBeside(import.meta.url, './indexerThread'), {
    workerData: settings,
    resourceLimits: youngGeneration.fetching,
  })
  const migrated = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const idle = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let asked = false
  let failure: StartError | null = null

  worker.on('message', (message: IndexerMessage) => {
    switch (message.kind) {
      case 'migrated':
        return migrated.resolve()
      case 'ready':
        return ready.resolve()
      case 'log':
        return log(message.level, message.message, message.facts)
      case 'status':
        return onStatus(message.status)
      case 'rpcCounts':
        return onRpcCounts(message.counts)
      case 'idle':
        return idle.resolve()
      case 'failed':
        failure ??= new StartError(message.message)
    }
  })
  worker.on('error', (error) => {
    failure ??= new StartError(`The indexer failed: ${describeError(error)}`, { cause: error })
  })
  worker.once('exit', () => {
    const reason = failure ?? new StartError('The indexer ended unexpectedly')
    if (asked) ended.resolve()
    else ended.reject(reason)
    migrated.reject(reason)
    ready.reject(reason)
  })
  // If the start failed, nobody awaits these promises.
  for (const { promise } of [ended, ready]) promise.catch(() => undefined)

  const abandon = () => void worker.terminate()
  signal.addEventListener('abort', abandon, { once: true })
  if (signal.aborted) abandon()
  const keep = () => signal.removeEventListener('abort', abandon)
  ready.promise.then(keep, keep)
  await migrated.promise
  return {
    ready: ready.promise,
    ended: ended.promise,
    idle: idle.promise,
    stop: async () => {
      asked = true
      worker.postMessage({ kind: 'stop' } satisfies StopMessage)
      const timer = setTimeout(() => void worker.terminate(), stopGraceMs)
      await ended.promise.catch(() => undefined)
      clearTimeout(timer)
    },
  }
}
