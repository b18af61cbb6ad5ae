import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { clientOf } from './clientOf.ts'
import { readAddress } from './readAddress.ts'

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
  const isProxy = (address: string) => isTrusted(address, 0)
  return {
    of:
      trustProxy.length === 0
        ? ({ socket }) => clientOf(socket.remoteAddress ?? '')
        : ({ headers, socket }) =>
            clientOf(findClient(socket.remoteAddress ?? '', headers['x-forwarded-for'], isProxy)),
    isProxy,
  }
}

/**
 * The first address, from the peer of the connection on, that is not that of a proxy. Each trusted proxy appends the
 * address that it received a request from. An entry without an address ends the way: the proxy that wrote it counts.
 */
function findClient(
  peer: string,
  header: string | string[] | undefined,
  isProxy: (address: string) => boolean,
): string {
  let client = peer
  const entries = String(header ?? '')
    .split(',')
    .filter((entry) => entry.trim() !== '')
  for (const entry of entries.reverse()) {
    if (!isProxy(client)) return client
    const address = readAddress(entry)
    if (address === null) return client
    client = address
  }
  return client
}
