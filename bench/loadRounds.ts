import { generateLoad, type LoadOptions, type LoadResult } from './loadGenerator.ts'

export interface RoundOptions {
  readonly port: number
  /** Paths, requested in turn; each round continues where the previous one ended. */
  readonly paths: readonly string[]
  readonly connections: number
  /** Warm-up requests, for JIT compilation and caches of the server. */
  readonly warmUpRequests: number
  /** Approximate duration of a round. */
  readonly roundSeconds: number
}

/** Minimum of requests per connection and round. */
const requestsPerConnectionMin = 20

/** Warms a server up, derives the number of requests per round, and returns the function that runs a round. */
export async function createLoadRounds(options: RoundOptions): Promise<() => Promise<LoadResult>> {
  const { port, paths, connections, warmUpRequests, roundSeconds } = options
  let next = 0
  const load = (requests: number) => {
    const turned = [...paths.slice(next), ...paths.slice(0, next)]
    next = (next + requests) % paths.length
    return loadAnswered({ port, paths: turned, connections, requests })
  }
  await load(warmUpRequests)
  const warm = await load(Math.ceil(warmUpRequests / 4))
  const requests = Math.max(
    connections * requestsPerConnectionMin,
    Math.ceil(warm.requestsPerSecond * roundSeconds),
  )
  return () => load(requests)
}

/** As `generateLoad`; rejects on an answer other than 200. */
export async function loadAnswered(options: LoadOptions): Promise<LoadResult> {
  const result = await generateLoad(options)
  if (result.failures > 0) {
    throw new Error(`${result.failures} answers to ${options.paths[0]} and its like were not 200`)
  }
  return result
}
