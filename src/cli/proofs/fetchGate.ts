import { OverloadedError } from '../../errors/apiErrors.ts'
import type { Clock } from '../../model/clock.ts'

export interface FetchLimits {
  /** Blocks of one chain fetched at a time. */
  readonly blocksAtOnceMax: number
  /** Fetches that may wait. */
  readonly blocksWaitingMax: number
  /** Blocks of one chain fetched per minute; the whole number may come at once. */
  readonly blocksPerMinute: number
}

/**
 * Limits the fetches that readers cause on the endpoints of one chain, so that no reader uses up the limits of the
 * endpoints.
 */
export interface FetchGate {
  /**
   * Runs `fetch` as soon as the limits allow.
   * @throws OverloadedError where too many fetches wait or the minute is used up; the signal's reason after an abort.
   */
  run<Result>(fetch: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

const overloadedMessage =
  'More proofs are asked for than the endpoints of this chain are asked on behalf of readers.'

export function createFetchGate(limits: FetchLimits, clock: Pick<Clock, 'nowMs'>): FetchGate {
  const perMs = limits.blocksPerMinute / 60_000
  let tokens = limits.blocksPerMinute
  let countedAtMs = clock.nowMs()
  let running = 0
  const waiting: (() => void)[] = []

  function takeToken(): void {
    const nowMs = clock.nowMs()
    tokens = Math.min(limits.blocksPerMinute, tokens + Math.max(0, nowMs - countedAtMs) * perMs)
    countedAtMs = nowMs
    if (tokens < 1) throw new OverloadedError(overloadedMessage, Math.ceil((1 - tokens) / perMs / 1_000))
    tokens -= 1
  }

  async function awaitTurn(signal: AbortSignal): Promise<void> {
    if (running < limits.blocksAtOnceMax) {
      running += 1
      return
    }
    if (waiting.length >= limits.blocksWaitingMax) throw new OverloadedError(overloadedMessage, 5)
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(signal.reason)
      }
      waiting.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    async run(fetch, signal) {
      signal.throwIfAborted()
      takeToken()
      await awaitTurn(signal)
      try {
        signal.throwIfAborted()
        return await fetch()
      } finally {
        // The longest waiting fetch takes the free place.
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
