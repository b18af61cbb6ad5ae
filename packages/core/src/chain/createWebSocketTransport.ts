import type { WebSocket } from 'ws'
import { RpcClosedError } from '../errors/rpcErrors.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'
import type { NotificationListener, RpcTransport } from './rpcTransport.ts'
import { runExchange } from './runExchange.ts'
import { openWebSocket, type WebSocketConnection, type WebSocketOptions } from './webSocketConnection.ts'

/** JSON-RPC over one WebSocket connection, opened with the first request, and again after a loss. */
export function createWebSocketTransport(address: EndpointAddress, options: WebSocketOptions): RpcTransport {
  /** The connection that takes requests, and those before it that still wait for answers. */
  let current: WebSocketConnection | null = null
  const connections = new Set<WebSocketConnection>()
  let listener: NotificationListener | null = null
  let isDestroyed = false

  function connect(library: typeof WebSocket): WebSocketConnection {
    if (isDestroyed) throw new RpcClosedError(`The connection to ${address.host} was closed.`)
    const connection = openWebSocket(library, address, options, {
      onNotification: (params) => {
        if (current === connection) listener?.onNotification(params)
      },
      onClosed: () => {
        connections.delete(connection)
        if (current !== connection) return
        current = null
        listener?.onClosed()
      },
      isKept: () => current === connection && listener !== null,
    })
    connections.add(connection)
    return connection
  }

  return {
    post: (calls, signal, bytesMax) =>
      runExchange(address, options.requestTimeoutMs, signal, async (inner) => {
        // Loaded with the first request, since few configurations have such an endpoint.
        const { WebSocket: library } = await import('ws')
        const connection = (current ??= connect(library))
        const opened = await untilAborted(connection.opened, inner)
        return opened.kind === 'refused' ? opened.reply : connection.ask(calls, inner, bytesMax)
      }),
    listen(next) {
      listener = next
      return {
        close() {
          if (listener !== next) return
          listener = null
          current?.retire()
          current = null
        },
      }
    },
    async destroy() {
      isDestroyed = true
      for (const connection of connections) connection.terminate()
    },
  }
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
