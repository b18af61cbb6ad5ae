import { generateLoad, type LoadOptions, type LoadResult } from './loadGenerator.ts'

export interface RoundOptions {
  readonly port: number
  /** Paths to ask for, in turn; each round goes on where the one before ended. */
  readonly paths: readonly string[]
  readonly connections: number
  /** Until the compiler and the caches of the server have done their work. */
  readonly warmUpRequests: number
  /** How long a round takes, about. */
  readonly roundSeconds: number
}

/** Requests of each connection that a round has at least. */
const requestsPerConnectionMin = 20

/** Warms a server up, learns from that how many requests fill a round, and answers the function that runs one. */
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

/** As `generateLoad` does; rejects where an answer is not 200. */
export async function loadAnswered(options: LoadOptions): Promise<LoadResult> {
  const result = await generateLoad(options)
  if (result.failures > 0) {
    throw new Error(`${result.failures} answers to ${options.paths[0]} and its like were not 200`)
  }
  return result
}
