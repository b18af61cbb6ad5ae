import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientOf } from './clientOf.ts'

/** Most connections of a process; each takes some 20 kB. */
const connectionsMaxDefault = 4_000

/**
 * Bounds the connections of a server. One address has at most half of them, so that it never keeps all others out.
 * @param isProxy whether an address is that of a proxy, which may hold the connections of everybody.
 */
export function limitConnections(
  server: Server,
  isProxy: (address: string) => boolean,
  connectionsMax = connectionsMaxDefault,
): void {
  const counts = new Map<string, number>()
  server.maxConnections = connectionsMax
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    if (isProxy(remoteAddress)) return
    const client = clientOf(remoteAddress)
    const count = (counts.get(client) ?? 0) + 1
    counts.set(client, count)
    socket.once('close', () => {
      const left = (counts.get(client) ?? 1) - 1
      if (left === 0) counts.delete(client)
      else counts.set(client, left)
    })
    if (count > connectionsMax / 2) socket.destroy()
  })
}
