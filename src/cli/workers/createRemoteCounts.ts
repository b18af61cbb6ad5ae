import type { CountRequest, RequestCount } from '../../api/limits/requestCounts.ts'
import { createOpenQuestions } from './openQuestions.ts'

/** Counts of requests that the main process keeps. */
export interface RemoteCounts {
  readonly count: CountRequest
  /** Takes an answer of the main process. */
  counted(id: number, counts: readonly RequestCount[]): void
}

/** Sends one message for all requests of one turn of the event loop: under load, messages cost more than counting. */
export function createRemoteCounts(send: (id: number, clients: readonly string[]) => void): RemoteCounts {
  const questions = createOpenQuestions<readonly RequestCount[]>()
  let waiting: { readonly client: string; readonly resolve: (count: RequestCount) => void }[] = []

  async function flush(): Promise<void> {
    const asked = waiting
    waiting = []
    const clients = asked.map(({ client }) => client)
    const counts = await questions.ask((id) => send(id, clients))
    for (const [index, { resolve }] of asked.entries()) {
      const count = counts[index]
      if (count !== undefined) resolve(count)
    }
  }

  return {
    count: (client) =>
      new Promise((resolve) => {
        if (waiting.length === 0) setImmediate(() => void flush())
        waiting.push({ client, resolve })
      }),
    counted: questions.answer,
  }
}
