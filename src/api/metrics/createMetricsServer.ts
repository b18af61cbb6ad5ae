import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Metrics } from './createMetrics.ts'

/** `/metrics` on a separate port, to keep it from the public. */
export interface MetricsServer {
  /** Rejects where the address cannot be listened on. */
  listen(host: string, port: number): Promise<void>
  /** The port of the server; null while it does not listen. */
  port(): number | null
  close(): Promise<void>
}

export function createMetricsServer(metrics: Metrics): MetricsServer {
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    if (!/^\/metrics\/?(?:\?|$)/.test(url)) {
      response.writeHead(404).end()
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
    } else {
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    }
  })
  return {
    listen: async (host, port) => {
      server.listen({ host, port })
      await once(server, 'listening')
    },
    port: () => {
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : null
    },
    close: async () => {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
