import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Access } from '../access/createAccess.ts'
import { errorAnswerOf } from '../errorAnswer.ts'
import type { Metrics } from './createMetrics.ts'

/** `/metrics` on a separate port, to keep it from the public. */
export interface MetricsServer {
  /** Rejects where the address cannot be listened on. */
  listen(host: string, port: number): Promise<void>
  /** The port of the server; null while it does not listen. */
  port(): number | null
  close(): Promise<void>
}

/** @param access null: everybody who reaches the port may ask. */
export function createMetricsServer(metrics: Metrics, access: Access | null): MetricsServer {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      access?.check(request, '/metrics')
      const text = await metrics.text()
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
    } catch (error) {
      const { statusCode, message, headers } = errorAnswerOf(error)
      response
        .writeHead(statusCode, { ...headers, 'content-type': 'text/plain; charset=utf-8' })
        .end(`${message}\n`)
    }
  }

  const server = createServer((request, response) => {
    const { method, url = '' } = request
    if (!/^\/metrics\/?(?:\?|$)/.test(url)) {
      response.writeHead(404).end()
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
    } else {
      void answer(request, response)
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
