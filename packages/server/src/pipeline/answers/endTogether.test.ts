import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endTogether } from './endTogether.ts'

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
