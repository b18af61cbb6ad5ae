import type { ChainId } from '@attestry/core/model/compositeId.ts'

/** Requests to one endpoint with one outcome. */
export interface RpcCount {
  readonly chainId: number
  /** The host of the endpoint; its URL may hold a key. */
  readonly host: string
  /** The code of the error of failed requests; null for requests without an error. */
  readonly errorCode: string | null
  readonly count: number
}

/** Counts requests to endpoints. */
export interface RequestCounter {
  count(chainId: ChainId, host: string, errorCode: string | null): void
  /** Begins the count of an endpoint at 0: a series of `/metrics` must not appear with its first request. */
  begin(chainId: ChainId, host: string): void
  /** All counts since the start. */
  counts(): readonly RpcCount[]
}

export function createRequestCounter(): RequestCounter {
  const counts = new Map<string, { -readonly [Key in keyof RpcCount]: RpcCount[Key] }>()

  function add(chainId: ChainId, host: string, errorCode: string | null, count: number): void {
    const key = `${chainId} ${host} ${errorCode}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { chainId, host, errorCode, count })
    else known.count += count
  }

  return {
    count: (chainId, host, errorCode) => add(chainId, host, errorCode, 1),
    begin: (chainId, host) => add(chainId, host, null, 0),
    counts: () => [...counts.values()],
  }
}
