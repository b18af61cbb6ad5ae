import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endTogether, unreadBytes } from './endTogether.ts'

const begun: ServerResponse[] = []
const server = createServer((_request, response) => {
  begun.push(response)
  // The answers of two requests are ready in the same turn.
  if (begun.length === 2) for (const each of begun) endTogether(each, String(each.req.url), 'utf8')
})
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => void server.close(resolve)))

test('the answers of a turn are written at its end, each to its client', async () => {
  // `address()` of a server that listens on a port is an `AddressInfo`.
  const { port } = server.address() as AddressInfo
  const ended: boolean[] = []
  server.once('request', () =>
    server.once('request', () => ended.push(...begun.map((each) => each.writableEnded))),
  )
  const texts = ['/one', '/two'].map(
    async (path) => await (await fetch(`http://127.0.0.1:${port}${path}`)).text(),
  )
  expect(await Promise.all(texts)).toEqual(['/one', '/two'])
  expect(ended).toEqual([false, false])
})

describe('a long body', () => {
  // Two code units of one character stand on each side of the end of a piece.
  const text = `x${'😀'.repeat(300_000)}`

  test.each([
    ['text', text, 'utf8', text],
    ['ASCII', 'y'.repeat(1_000_003), 'latin1', 'y'.repeat(1_000_003)],
    ['bytes', Buffer.from(text), 'utf8', text],
  ] as const)('of %s arrives whole', async (_name, content, charset, expected) => {
    const long = createServer((_request, response) => endTogether(response, content, charset))
    await new Promise<void>((resolve) => void long.listen(0, '127.0.0.1', resolve))
    const { port } = long.address() as AddressInfo
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe(expected)
    long.close()
  })

  test('stands once in memory, and is counted as unread, for a client that reads nothing', async () => {
    const length = 64 * 1024 * 1024
    const answered = Promise.withResolvers<ServerResponse>()
    const long = createServer((_request, response) => {
      endTogether(response, 'y'.repeat(length), 'latin1')
      answered.resolve(response)
    })
    await new Promise<void>((resolve) => void long.listen(0, '127.0.0.1', resolve))
    const client = connect({ port: (long.address() as AddressInfo).port, host: '127.0.0.1' }).pause()
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const { socket } = await answered.promise
    if (socket === null) throw new TypeError('an answer has a socket')
    await expect.poll(() => socket.writableLength).toBeGreaterThan(0)
    expect(socket.writableLength).toBeLessThan(1024 * 1024)
    expect(unreadBytes(socket)).toBeGreaterThan(length / 2)
    client.destroy()
    await expect.poll(() => [socket.destroyed, unreadBytes(socket)]).toEqual([true, 0])
    long.close()
  })
})
