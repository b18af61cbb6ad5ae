import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { clientOf } from './clientOf.ts'

/** Tells the clients of a server apart. */
export interface Clients {
  /** The client that sent a request. */
  of(request: IncomingMessage): string
  /** Whether an address is that of a trusted proxy, whose connections are those of many clients. */
  isProxy(address: string): boolean
}

/**
 * @param trustProxy addresses and networks of proxies whose `X-Forwarded-For` names the client; without any, the client
 *   is the peer of the connection.
 */
export function createClients(trustProxy: readonly string[] = []): Clients {
  const isTrusted = proxyAddr.compile([...trustProxy])
  const addressOf = ({ socket }: IncomingMessage) => socket.remoteAddress ?? ''
  return {
    of:
      trustProxy.length === 0
        ? (request) => clientOf(addressOf(request))
        : (request) => clientOf(proxyAddr(request, isTrusted)),
    isProxy: (address) => isTrusted(address, 0),
  }
}
