import { encodeRequest, openHttpConnection, type HttpConnection } from './httpConnection.ts'
import { quantile } from './quantile.ts'

/** Closed-loop load: each connection sends a request, waits for the whole answer, and sends the next. */
export interface LoadOptions {
  readonly port: number
  /** Paths, requested in turn. */
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
  /** Number of answers with another status than 200. */
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * The clock starts when every connection has received an answer, so that the measurement excludes the accepting of
 * connections.
 */
export async function generateLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, paths, connections, requests } = options
  const encoded = paths.map((path) => encodeRequest(port, path))
  const latenciesMs = new Float64Array(requests)
  /** Starts the open connections once all are open. */
  const waiting: (() => void)[] = []
  let startMs = 0
  let sent = 0
  let answered = 0
  let bytes = 0
  let failures = 0

  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      let isOpen = false
      let sentMs = 0
      const next = (connection: HttpConnection) => {
        const request = encoded[sent % encoded.length]
        if (sent >= requests || request === undefined) {
          connection.close()
          return resolve()
        }
        sent++
        sentMs = performance.now()
        connection.send(request)
      }
      openHttpConnection({
        port,
        onReady: (connection) => connection.send(encodeRequest(port, paths.at(-1) ?? '/')),
        onAnswer: (connection, status, length) => {
          if (status !== 200) failures++
          if (isOpen) {
            latenciesMs[answered++] = performance.now() - sentMs
            bytes += length
            return next(connection)
          }
          isOpen = true
          waiting.push(() => next(connection))
          if (waiting.length < connections) return
          startMs = performance.now()
          for (const begin of waiting) begin()
        },
        onFailure: reject,
      })
    })

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
