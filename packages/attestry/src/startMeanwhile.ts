import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import { formatBaseUrl, type ListenAddress } from '@attestry/host/listenAddress.ts'

export type MeanwhileMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string }

/** The answers before there is an index. */
export interface Meanwhile {
  readonly url: string
  /** Replaces the sentence of the answers. */
  say(text: string): void
  close(): Promise<void>
}

/**
 * Answers requests in a thread of its own while the index is built (`meanwhileThread.ts`).
 * @throws StartError when the address cannot be listened on.
 */
export async function startMeanwhile(address: ListenAddress, text: string): Promise<Meanwhile> {
  const worker = new Worker(moduleBeside(import.meta.url, './meanwhileThread'), {
    workerData: { address, text },
  })
  const ended = once(worker, 'exit')
  const [message] = (await once(worker, 'message')) as [MeanwhileMessage]
  if (message.kind === 'failed') {
    await worker.terminate()
    throw new StartError(message.message)
  }
  // The thread does not keep a process alive whose start has failed.
  worker.unref()
  return {
    url: formatBaseUrl({ ...address, port: message.port }),
    say: (next) => worker.postMessage(next),
    close: async () => {
      worker.ref()
      worker.postMessage(null)
      await ended
    },
  }
}
