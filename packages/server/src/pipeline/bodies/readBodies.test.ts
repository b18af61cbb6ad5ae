import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createServer, type TestServerOptions } from '../../testing/createServer.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { listenLocally } from '../testing/sendRaw.ts'
import { openTestIndex } from '../testing/testIndex.ts'

const apps: FastifyInstance[] = []
const sockets: Socket[] = []
beforeAll(() => openTestIndex(createSampleIndex()).listChains())
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

function serve(options: TestServerOptions = {}): FastifyInstance {
  const index = createSampleIndex()
  const mcp = { verifyProof: () => Promise.resolve(['Valid.']) }
  const app = createServer({ reader: openTestIndex(index), mcp, ...options })
  apps.push(app)
  return app
}

const path = '/scan/attestations/status'

/** Sends the head of a POST and a part of its body; resolves to the answer, once the server ends the connection. */
function begin(port: number, length: number, part: string, url = path): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const answer = Promise.withResolvers<string>()
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('close', () => answer.resolve(text))
  socket.on('error', () => undefined)
  const head = `POST ${url} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  socket.write(head + part)
  return answer.promise
}

describe('the bodies of requests', () => {
  test('share a budget, which a client cannot keep others out of', async () => {
    const port = await listenLocally(serve({ limits: { bodies: { heldBytesMax: 1_000_000 } } }))
    const begun = Array.from({ length: 6 }, () => begin(port, 400_001, `{"ids":["${' '.repeat(300_000)}`))
    // The first answers come because room was made; all of this client's bodies together hold a megabyte at most.
    const refused = await Promise.race(begun)
    expect(refused).toContain('HTTP/1.1 503 ')
    expect(refused).toContain('retry-after: 2')
    const other = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: ['onchain_evm_1_0x1'] }),
    })
    expect(other.status).toBe(200)
  })

  test('must arrive at some rate', async () => {
    const port = await listenLocally(serve({ limits: { bodies: { graceMs: 50 } } }))
    for (const url of [path, '/graphql', '/mcp']) {
      const answer = await begin(port, 1_000, '{', url)
      expect(answer, url).toContain('HTTP/1.1 408 ')
    }
  })

  test('must not arrive in thousands of chunks of a few bytes', async () => {
    const port = await listenLocally(serve())
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    socket.write(`${head}${'1\r\n \r\n'.repeat(1_001)}`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toContain('HTTP/1.1 400 ')
    expect(answer).toContain('The body arrives in chunks of a few bytes')
  })

  test('are read only as UTF-8, with or without a byte order mark', async () => {
    const app = serve()
    const ask = async (contentType: string, payload: string | Buffer): Promise<number> =>
      (await app.inject({ method: 'POST', url: path, headers: { 'content-type': contentType }, payload }))
        .statusCode
    const body = JSON.stringify({ ids: ['onchain_evm_1_0x1'] })
    expect(await ask('application/json; charset=UTF-8', body)).toBe(200)
    expect(await ask('application/json;charset="utf-8"', `\uFEFF${body}`)).toBe(200)
    expect(await ask('application/json; charset=utf-16le', Buffer.from(body, 'utf16le'))).toBe(415)
    expect(await ask('application/json; charset=iso-8859-1', body)).toBe(415)
  })

  test('may not nest deeper than any request needs', async () => {
    const app = serve()
    const payload = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const url of [path, '/scan/holders', '/scan/offchain/verify-private', '/mcp']) {
      const headers = { 'content-type': 'application/json' }
      const answer = await app.inject({ method: 'POST', url, headers, payload })
      expect([url, answer.statusCode]).toEqual([url, 400])
      expect(answer.json()).toMatchObject({ success: false })
    }
  })

  test('give their room back once they are answered', async () => {
    const app = serve({ limits: { bodies: { heldBytesMax: 3_000 } } })
    const port = await listenLocally(app)
    for (let i = 0; i < 10; i++) {
      const { status } = await fetch(`http://127.0.0.1:${port}/scan/holders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"addresses": []${' '.repeat(1_000)}}`,
      })
      expect(status).toBe(400)
    }
  })
})
