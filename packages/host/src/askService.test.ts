import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { openService } from './askService.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`
}

const ask = (url: string, body?: unknown) =>
  openService('--against', url).ask('scan/x', new AbortController().signal, body)

test('a service is asked below its URL, and its status and JSON are answered', async () => {
  const url = await listen((request, response) => {
    response.writeHead(404).end(JSON.stringify({ asked: request.url, method: request.method }))
  })
  expect(await ask(url)).toEqual({ status: 404, body: { asked: '/base/scan/x', method: 'GET' } })
  expect(await ask(url, { a: 1 })).toMatchObject({ body: { method: 'POST' } })
})

test('a redirect is not followed, wherever it leads', async () => {
  let isReached = false
  const inner = await listen((_request, response) => {
    isReached = true
    response.end('{}')
  })
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await listen((_request, response) => {
      response.writeHead(status, { location: inner }).end()
    })
    expect(await ask(url)).toEqual({
      status: null,
      reason: 'answers with a redirect, which is not followed; give the URL that it names',
    })
  }
  expect(isReached).toBe(false)
})

test.each<[what: string, body: Buffer, encoding: string | null, reason: string]>([
  ['without an end', Buffer.alloc(2 ** 20, ' '), null, 'answers more than 4194304 bytes'],
  [
    'that unpacks to more than the limit',
    gzipSync(Buffer.alloc(2 ** 26, ' ')),
    'gzip',
    'answers more than 4194304 bytes',
  ],
  [
    'of brackets',
    Buffer.alloc(2 ** 20, '['),
    null,
    'answers with more than 64 levels or 500000 values of JSON',
  ],
  [
    'of empty objects',
    Buffer.from(`[${'{},'.repeat(2 ** 20)}{}]`),
    null,
    'answers with more than 64 levels or 500000 values of JSON',
  ],
  ['of HTML', Buffer.from('<html>'), null, 'does not answer with JSON'],
])('an answer %s is none', async (what, body, encoding, reason) => {
  const url = await listen((_request, response) => {
    if (encoding !== null) response.setHeader('content-encoding', encoding)
    if (what !== 'without an end') return void response.end(body)
    const more = () => {
      while (!response.destroyed && response.write(body));
    }
    response.on('drain', more)
    more()
  })
  expect(await ask(url)).toEqual({ status: null, reason })
})
