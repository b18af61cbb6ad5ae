import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Most requests of one connection that wait for the answer to an earlier one. */
const waitingMax = 100

/**
 * Begins a pipelined request once the answers before it have left the process. Node.js hands over every request that it
 * has read, so that a client that reads nothing would have hundreds of answers made and kept in memory. A connection
 * with more than `waitingMax` waiting requests is cut. Requests that are not pipelined cost one comparison.
 */
export function answerInTurn(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  const waiting = new WeakMap<Socket, number>()
  server.removeAllListeners('request')

  function begin(request: IncomingMessage, response: ServerResponse): void {
    for (const listener of listeners) listener.call(server, request, response)
  }

  server.on('request', (request, response) => {
    // Node.js gives the socket to one response at a time, in the order of the requests.
    if (response.socket !== null) return begin(request, response)
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > waitingMax) return void socket.destroy()
    waiting.set(socket, count)
    const assignSocket = response.assignSocket.bind(response)
    response.assignSocket = (assigned) => {
      assignSocket(assigned)
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      begin(request, response)
    }
  })
}
