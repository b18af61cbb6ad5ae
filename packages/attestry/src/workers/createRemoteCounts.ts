import type { CountRequest, RequestCount } from '@attestry/server/pipeline/limits/requestCounts.ts'
import { createOpenQuestions } from '@attestry/host/openQuestions.ts'

/** A client whose request is counted, or with milliseconds, what a request of it has cost. */
export type CountedClient = Parameters<CountRequest>

/** Counts of requests that the main process keeps. */
export interface RemoteCounts {
  readonly count: CountRequest
  /** Takes an answer of the main process. */
  counted(id: number, counts: readonly RequestCount[]): void
}

/** Sends one message for all requests of one turn of the event loop: under load, messages cost more than counting. */
export function createRemoteCounts(
  send: (id: number, counted: readonly CountedClient[]) => void,
): RemoteCounts {
  const questions = createOpenQuestions<readonly RequestCount[]>()
  let waiting: { readonly counted: CountedClient; readonly resolve: (count: RequestCount) => void }[] = []

  async function flush(): Promise<void> {
    const asked = waiting
    waiting = []
    const all = asked.map(({ counted }) => counted)
    const counts = await questions.ask((id) => send(id, all))
    for (const [index, { resolve }] of asked.entries()) {
      const count = counts[index]
      if (count !== undefined) resolve(count)
    }
  }

  return {
    count: (...counted) =>
      new Promise((resolve) => {
        if (waiting.length === 0) setImmediate(() => void flush())
        waiting.push({ counted, resolve })
      }),
    counted: questions.answer,
  }
}
