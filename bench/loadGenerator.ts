import { connect, type Socket } from 'node:net'

/**
 * A load generator on raw sockets: the servers measured here answer in some ten microseconds, and an HTTP client would be
 * slower than they are. Each connection sends one request, waits for its whole answer, and sends the next.
 */
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
  const encoded = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n\r\n`),
  )
  const latenciesMs = new Float64Array(requests)
  let sent = 0
  let answered = 0
  let bytes = 0
  let failures = 0

  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let startedMs = 0
      let head: Buffer = Buffer.alloc(0)
      let bodyLeft = -1
      const next = () => {
        if (sent >= requests) {
          socket.destroy()
          return resolve()
        }
        const request = encoded[sent++ % encoded.length]
        startedMs = performance.now()
        if (request !== undefined) socket.write(request)
      }
      const finish = () => {
        latenciesMs[answered++] = performance.now() - startedMs
        bodyLeft = -1
        next()
      }
      socket.on('connect', next)
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bodyLeft >= 0) {
          bodyLeft -= chunk.length
          if (bodyLeft <= 0) finish()
          return
        }
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        const text = head.toString('latin1', 0, end)
        if (!text.startsWith('HTTP/1.1 200')) failures++
        const length = /content-length: *(\d+)/i.exec(text)?.[1]
        if (length === undefined) return void socket.destroy(new Error('an answer without content-length'))
        bodyLeft = Number(length) - (head.length - end - 4)
        head = Buffer.alloc(0)
        if (bodyLeft <= 0) finish()
      })
    })

  const startMs = performance.now()
  await Promise.all(Array.from({ length: connections }, runConnection))
  const seconds = (performance.now() - startMs) / 1000
  const sorted = latenciesMs.subarray(0, answered).sort()
  const quantile = (share: number) => sorted[Math.min(answered - 1, Math.floor(answered * share))] ?? 0
  return {
    requests: answered,
    seconds,
    requestsPerSecond: answered / seconds,
    bytes,
    failures,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  }
}
