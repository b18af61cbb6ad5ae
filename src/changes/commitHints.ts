import { BroadcastChannel } from 'node:worker_threads'

/** The channel of the threads of one process; `startWorkers` passes hints on to worker processes. */
const channelName = 'attestry commits'

/** Tells the other threads of this process that a writer has committed. */
export interface CommitTeller {
  tell(): void
  close(): void
}

export function openCommitTeller(): CommitTeller {
  const channel = new BroadcastChannel(channelName)
  return { tell: () => channel.postMessage(null), close: () => channel.close() }
}

/** Calls the listener at each commit that another thread tells of, until the returned function is called. */
export function onCommit(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.unref()
  channel.onmessage = listener
  return () => channel.close()
}

/**
 * Pauses of a loop that polls the version of the index. A hint ends a pause early, and so does one that came since the
 * last pause. Hints only save time: none comes where another process writes, and one may come without a new version.
 */
export interface CommitHints {
  wait(durationMs: number): Promise<void>
  /** Acts like a hint. */
  wake(): void
  /** Ends the pause; later ones take their whole time. */
  close(): void
}

export function listenToCommits(): CommitHints {
  let isWoken = false
  let end: () => void = () => undefined
  const wake = () => {
    isWoken = true
    end()
  }
  const stop = onCommit(wake)
  return {
    wait: async (durationMs) => {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, durationMs).unref()
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isWoken = false
    },
    wake,
    close: () => {
      stop()
      wake()
    },
  }
}
