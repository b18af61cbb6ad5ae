import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { noteArrival } from '@attestry/core/model/threadTurns.ts'
import { unreadBytes } from '../answers/endTogether.ts'
import { clientOf } from './clientOf.ts'

/** Most connections of a process; each takes some 20 kB. */
const connectionsMaxDefault = 4_000

/** Most bytes of answers that clients have not taken. */
const unreadBytesMaxDefault = 96 * 2 ** 20

/** How often unread bytes are looked at. */
const lookMs = 250

export interface ConnectionLimits {
  readonly connectionsMax?: number | undefined
  readonly unreadBytesMax?: number
}

/**
 * Bounds the connections of a server, and the answers that wait in them. One address has at most half of the
 * connections, so that it never keeps all others out. If the answers that wait have too many bytes, the address with the
 * most of them loses its fullest connections.
 * @param isProxy whether an address is that of a proxy, which may hold the connections of everybody.
 */
export function limitConnections(
  server: Server,
  isProxy: (address: string) => boolean,
  { connectionsMax = connectionsMaxDefault, unreadBytesMax = unreadBytesMaxDefault }: ConnectionLimits = {},
): void {
  const clients = new Map<string, Set<Socket>>()
  server.maxConnections = connectionsMax
  server.on('connection', (socket: Socket) => {
    noteArrival()
    const { remoteAddress = '' } = socket
    const client = clientOf(remoteAddress)
    const sockets = clients.get(client) ?? new Set()
    clients.set(client, sockets.add(socket))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) clients.delete(client)
    })
    if (sockets.size > connectionsMax / 2 && !isProxy(remoteAddress)) socket.destroy()
  })
  const timer = setInterval(() => dropUnread([...clients.values()], unreadBytesMax), lookMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

function dropUnread(clients: readonly ReadonlySet<Socket>[], bytesMax: number): void {
  const held = clients.map((sockets) => ({
    sockets,
    bytes: Array.from(sockets).reduce((sum, socket) => sum + unreadBytes(socket), 0),
  }))
  let total = held.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { sockets } of held.sort((a, b) => b.bytes - a.bytes)) {
    for (const socket of [...sockets].sort((a, b) => unreadBytes(b) - unreadBytes(a))) {
      if (total <= bytesMax) return
      total -= unreadBytes(socket)
      socket.destroy()
    }
  }
}
