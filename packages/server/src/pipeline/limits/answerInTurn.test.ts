import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { answerInTurn } from './answerInTurn.ts'
import { limitConnections } from './limitConnections.ts'

const servers: Server[] = []
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  return socket.on('error', () => undefined)
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

test('begins a pipelined request once the one before it is answered', async () => {
  const begun: { readonly url: string; readonly response: ServerResponse }[] = []
  const server = createServer(({ url = '' }, response) => begun.push({ url, response }))
  answerInTurn(server)
  const socket = open(await listen(server))
  socket.write(get('/1') + get('/2') + get('/3'))
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  for (const count of [1, 2, 3]) {
    await expect.poll(() => begun.map(({ url }) => url)).toEqual(['/1', '/2', '/3'].slice(0, count))
    begun.at(-1)?.response.end(`answer ${count};`)
  }
  await expect.poll(() => text.match(/answer \d/g)).toEqual(['answer 1', 'answer 2', 'answer 3'])
})

test('begins nothing more for a client that reads nothing', async () => {
  let begun = 0
  const server = createServer((_request, response) => {
    begun += 1
    response.end(Buffer.alloc(16 * 2 ** 20))
  })
  answerInTurn(server)
  const port = await listen(server)
  const socket = open(port).pause()
  socket.write(get('/').repeat(50))
  // A second client is answered meanwhile, so that the server has seen all requests of the first.
  const other = await fetch(`http://127.0.0.1:${port}/`)
  expect((await other.arrayBuffer()).byteLength).toBe(16 * 2 ** 20)
  expect(begun).toBe(2)
})

test('cuts a connection with very many waiting requests', async () => {
  let begun = 0
  const server = createServer(() => (begun += 1))
  answerInTurn(server)
  const socket = open(await listen(server))
  socket.write(get('/').repeat(800))
  await once(socket, 'close')
  expect(begun).toBe(1)
})

test('leaves half of the connections to other addresses', async () => {
  const server = createServer((_request, response) => response.end('here'))
  limitConnections(server, (address) => address === '127.0.0.3', { connectionsMax: 8 })
  const port = await listen(server)
  const openFrom = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const greedy: Socket[] = []
  for (let i = 0; i < 5; i++) greedy.push(await openFrom('127.0.0.1'))
  await once(greedy[4] as Socket, 'close')
  const other = await openFrom('127.0.0.2')
  other.write(get('/'))
  expect(String(await once(other, 'data'))).toContain('here')
  // A connection that ends makes room for the next one; connections of a trusted proxy are those of everybody.
  greedy[0]?.destroy()
  await expect.poll(() => countOpen(server)).toBe(4)
  const next = await openFrom('127.0.0.1')
  next.write(get('/'))
  expect(String(await once(next, 'data'))).toContain('here')
  for (let i = 0; i < 3; i++) await openFrom('127.0.0.3')
  await expect.poll(() => countOpen(server)).toBe(8)
})

test('ends the fullest connections of the client that leaves the most unread', async () => {
  const length = 20 * 2 ** 20
  const server = createServer((_request, response) => response.end('x'.repeat(length)))
  limitConnections(server, () => false, { unreadBytesMax: 2.5 * length })
  let ended = 0
  server.on('connection', (socket: Socket) => socket.once('close', () => (ended += 1)))
  const port = await listen(server)
  const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  sockets.push(other)
  other.pause().write(get('/'))
  const greedy = Array.from({ length: 4 }, () => open(port))
  for (const socket of greedy) socket.pause().write(get('/'))
  await expect.poll(() => ended).toBe(3)
  let read = 0
  other.on('data', (chunk: Buffer) => {
    read += chunk.length
    if (read > length) other.destroy()
  })
  other.resume()
  await once(other, 'close')
  expect(read).toBeGreaterThan(length)
})

function countOpen(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  return promise
}
