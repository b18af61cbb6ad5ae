import { OverloadedError } from '../../errors/apiErrors.ts'
import type { Clock } from '../../model/clock.ts'

export interface FetchLimits {
  /** Blocks that are fetched from one chain at a time. */
  readonly blocksAtOnceMax: number
  /** Those that may wait for their turn. */
  readonly blocksWaitingMax: number
  /** Blocks of one chain within a minute; as many may come at once. */
  readonly blocksPerMinute: number
}

/** Lets in what one chain's endpoints are asked for on behalf of readers, so that no reader can use up what they grant. */
export interface FetchGate {
  /**
   * Runs `fetch` when it is its turn.
   * @throws OverloadedError where too many wait, or too many were let in lately; the signal's reason once it is aborted.
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
        // The place goes straight to who has waited longest.
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
