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

/**
 * Calls the listener at each commit that another thread announces, until the returned function is called. Hints only
 * save time: there are no hints from other processes, and a hint may come without a new version.
 */
export function onCommit(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.unref()
  channel.onmessage = listener
  return () => channel.close()
}
