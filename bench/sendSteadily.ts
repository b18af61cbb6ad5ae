import { encodeRequest, openHttpConnection, type HttpConnection } from './httpConnection.ts'
import { quantile } from './quantile.ts'

/** Open-loop load at a constant rate: a slow answer does not delay later requests. */
export interface SteadyOptions {
  readonly port: number
  /** The path of the request with this number. */
  readonly path: (index: number) => string
  readonly requestsPerSecond: number
  /** Called before each request; false ends the load. */
  readonly goOn: () => boolean
}

export interface SteadyResult {
  readonly requests: number
  /** Number of answers with another status than 200. */
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/**
 * Latencies start when a request is due, also when it waits for a free connection; earlier delays of this process do
 * not count.
 */
export async function sendSteadily(options: SteadyOptions): Promise<SteadyResult> {
  const { port, path, requestsPerSecond, goOn } = options
  const idle: HttpConnection[] = []
  const startedMs = new Map<HttpConnection, number>()
  const latenciesMs: number[] = []
  let failures = 0
  let handedOut = 0

  const openConnection = () =>
    new Promise<HttpConnection>((resolve, reject) =>
      openHttpConnection({
        port,
        onReady: resolve,
        onAnswer: (connection, status) => {
          latenciesMs.push(performance.now() - (startedMs.get(connection) ?? Number.NaN))
          if (status !== 200) failures++
          idle.push(connection)
        },
        onFailure: reject,
      }),
    )
  const handOut = async (index: number) => {
    const started = performance.now()
    // In turn, so that no connection is idle until the server closes it.
    const connection = idle.shift() ?? (await openConnection())
    startedMs.set(connection, started)
    connection.send(encodeRequest(port, path(index)))
  }

  const beginMs = performance.now()
  while (goOn()) {
    const due = ((performance.now() - beginMs) / 1000) * requestsPerSecond
    const sending: Promise<void>[] = []
    while (handedOut < due) sending.push(handOut(handedOut++))
    await Promise.all(sending)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  while (latenciesMs.length < handedOut) await new Promise((resolve) => setTimeout(resolve, 1))
  for (const connection of startedMs.keys()) connection.close()
  const ascending = Float64Array.from(latenciesMs).sort()
  return {
    requests: latenciesMs.length,
    failures,
    p50Ms: quantile(ascending, 0.5),
    p99Ms: quantile(ascending, 0.99),
    maxMs: quantile(ascending, 1),
  }
}
