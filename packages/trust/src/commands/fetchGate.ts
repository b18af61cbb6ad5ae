import { presentAsker } from '@attestry/core/shares/askers.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'
import type { Clock } from '@attestry/core/model/clock.ts'

export interface FetchLimits {
  /** Blocks of one chain fetched at a time; half of them for one client. */
  readonly blocksAtOnceMax: number
  /** Fetches that may wait. */
  readonly blocksWaitingMax: number
  /** Blocks of one chain fetched per minute; the whole number may come at once. */
  readonly blocksPerMinute: number
}

/**
 * Limits the fetches that readers cause on the endpoints of one chain, so that no reader uses up the limits of the
 * endpoints, nor the shares of other readers.
 */
export interface FetchGate {
  /**
   * Runs `fetch` as soon as the limits allow; clients take turns.
   * @throws OverloadedError if the client has used its share; the signal's reason after an abort.
   */
  run<Result>(fetch: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

/** @param what is asked for, in the plural. */
export function createFetchGate(
  limits: FetchLimits,
  clock: Pick<Clock, 'nowMs'>,
  what = 'blocks',
): FetchGate {
  const { blocksAtOnceMax, blocksWaitingMax, blocksPerMinute } = limits
  const refusal = `More ${what} are asked for than the endpoints of this chain are asked on behalf of this client.`
  const nowMs = () => clock.nowMs()
  const slots = createFairShares({
    total: blocksAtOnceMax + blocksWaitingMax,
    windowMs: null,
    refusal,
    nowMs,
  })
  const minute = createFairShares({ total: blocksPerMinute, windowMs: 60_000, refusal, nowMs })
  const running = new Map<string, number>()
  /** By client; the client whose turn is next stands first. */
  const waiting = new Map<string, (() => void)[]>()
  let runningCount = 0

  const mayRun = (name: string) =>
    runningCount < blocksAtOnceMax &&
    (name === '' || (running.get(name) ?? 0) < Math.max(1, blocksAtOnceMax / 2))

  function count(name: string, added: 1 | -1): void {
    runningCount += added
    const own = (running.get(name) ?? 0) + added
    if (own === 0) running.delete(name)
    else running.set(name, own)
  }

  /** Lets fetches go on that wait, one of each client in turn. */
  function handOn(): void {
    for (const [name, queue] of waiting) {
      const next = mayRun(name) ? queue.shift() : undefined
      if (next === undefined) continue
      waiting.delete(name)
      if (queue.length > 0) waiting.set(name, queue)
      count(name, 1)
      next()
    }
  }

  async function awaitTurn(name: string, signal: AbortSignal): Promise<void> {
    if (mayRun(name)) return count(name, 1)
    await new Promise<void>((resolve, reject) => {
      const queue = waiting.get(name) ?? []
      waiting.set(name, queue)
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1)
        if (queue.length === 0) waiting.delete(name)
        reject(signal.reason)
      }
      queue.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    async run(fetch, signal) {
      signal.throwIfAborted()
      const leave = slots.take()
      try {
        minute.take()
        const name = presentAsker()?.name ?? ''
        await awaitTurn(name, signal)
        try {
          signal.throwIfAborted()
          return await fetch()
        } finally {
          count(name, -1)
          handOn()
        }
      } finally {
        leave()
      }
    },
  }
}
