import { encodeRequest, openHttpConnection } from './httpConnection.ts'
import { quantile } from './quantile.ts'

/** As much load as a number of connections make: each sends one request, waits for its whole answer, and sends the next. */
export interface LoadOptions {
  readonly port: number
  /** Paths to ask for, in turn. */
  readonly paths: readonly string[]
  readonly connections: number
  /** Ends after this many answers. */
  readonly requests: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly bytes: number
  /** Answers whose status was not 200. */
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export async function generateLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, paths, connections, requests } = options
  const encoded = paths.map((path) => encodeRequest(port, path))
  const latenciesMs = new Float64Array(requests)
  let sent = 0
  let answered = 0
  let bytes = 0
  let failures = 0

  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      let startedMs = 0
      const next = (connection: { send(request: Buffer): void; close(): void }) => {
        const request = encoded[sent % encoded.length]
        if (sent >= requests || request === undefined) {
          connection.close()
          return resolve()
        }
        sent++
        startedMs = performance.now()
        connection.send(request)
      }
      openHttpConnection({
        port,
        onReady: next,
        onAnswer: (connection, status, length) => {
          latenciesMs[answered++] = performance.now() - startedMs
          bytes += length
          if (status !== 200) failures++
          next(connection)
        },
        onFailure: reject,
      })
    })

  const startMs = performance.now()
  await Promise.all(Array.from({ length: connections }, runConnection))
  const seconds = (performance.now() - startMs) / 1000
  const sorted = latenciesMs.subarray(0, answered).sort()
  return {
    requests: answered,
    seconds,
    requestsPerSecond: answered / seconds,
    bytes,
    failures,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }
}
