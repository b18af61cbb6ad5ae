import type { ChainId } from '../model/compositeId.ts'
import type { RpcCount } from '../http/metrics/createMetrics.ts'

/** Counts requests to endpoints. */
export interface RequestCounter {
  count(chainId: ChainId, host: string, errorCode: string | null): void
  /** All counts since the start. */
  counts(): readonly RpcCount[]
}

export function createRequestCounter(): RequestCounter {
  const counts = new Map<string, { -readonly [Key in keyof RpcCount]: RpcCount[Key] }>()
  return {
    count: (chainId, host, errorCode) => {
      const key = `${chainId} ${host} ${errorCode}`
      const known = counts.get(key)
      if (known === undefined) counts.set(key, { chainId, host, errorCode, count: 1 })
      else known.count += 1
    },
    counts: () => [...counts.values()],
  }
}
