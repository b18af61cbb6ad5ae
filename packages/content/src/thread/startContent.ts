import { Worker } from 'node:worker_threads'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import type { ContentMessage, ContentSettings } from './contentMessages.ts'

/** Time for the thread to end by itself; what was not kept is fetched again. */
const stopGraceMs = 1_000

/**
 * Starts the thread that fetches content. It is started anew when it fails: indexing and serving go on without it.
 * @returns ends it.
 */
export function startContent(settings: ContentSettings, log: SyncLog): () => Promise<void> {
  let isStopped = false
  let worker = start()

  function start(): Worker {
    const thread = new Worker(moduleBeside(import.meta.url, './contentThread'), { workerData: settings })
    thread.on('message', ({ level, message }: ContentMessage) => log(level, message, {}))
    thread.on('error', (error) => log('error', `content: ${describeError(error)}`, { err: error }))
    thread.once('exit', () => {
      if (isStopped) return
      setTimeout(() => {
        if (!isStopped) worker = start()
      }, restartMs).unref()
    })
    return thread
  }

  return async () => {
    isStopped = true
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    if (worker.threadId === -1) return
    worker.postMessage('stop')
    const timer = setTimeout(() => void worker.terminate(), stopGraceMs)
    await ended
    clearTimeout(timer)
  }
}

const restartMs = 5_000
