import type { ChainId } from '../model/compositeId.ts'
import type { RpcCount } from '../http/metrics/createMetrics.ts'

/** Counts requests to endpoints in one thread, and reports the counts to another. */
export interface RequestCounter {
  count(chainId: ChainId, host: string, errorCode: string | null): void
  stop(): void
}

const tellIntervalMs = 1_000

/** @param tell receives all counts since the start, at most once a second, and only after a change. */
export function createRequestCounter(tell: (counts: readonly RpcCount[]) => void): RequestCounter {
  const counts = new Map<
    string,
    { chainId: ChainId; host: string; errorCode: string | null; count: number }
  >()
  let hasChanged = false
  const timer = setInterval(() => {
    if (!hasChanged) return
    hasChanged = false
    tell([...counts.values()])
  }, tellIntervalMs)
  return {
    count: (chainId, host, errorCode) => {
      const key = `${chainId} ${host} ${errorCode}`
      const known = counts.get(key)
      if (known === undefined) counts.set(key, { chainId, host, errorCode, count: 1 })
      else known.count += 1
      hasChanged = true
    },
    stop: () => clearInterval(timer),
  }
}
