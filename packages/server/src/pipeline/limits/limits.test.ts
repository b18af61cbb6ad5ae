import { connect, type Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashKey, newKey } from '../access/apiKeys.ts'
import { createServer, type TestServerOptions } from '../../testing/createServer.ts'
import { createRequestMeter } from '../metrics/requestMeter.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createTestJournal } from '../testing/createTestJournal.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { listenLocally } from '../testing/sendRaw.ts'

const apps: FastifyInstance[] = []
// Filling the database must not delay the event loop of a server whose timeouts are tested.
beforeAll(() => openTestIndex(createSampleIndex()).listChains())
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

function serve(options: TestServerOptions): FastifyInstance {
  const index = createSampleIndex()
  const app = createServer({
    reader: openTestIndex(index),
    ...options,
  })
  apps.push(app)
  return app
}

describe('a limit of requests', () => {
  const rateLimit = { max: 3, windowSeconds: 60 }

  test('allows the configured number of requests, with the rest in headers, then refuses with Retry-After', async () => {
    const app = serve({ rateLimit })
    for (const remaining of ['2', '1', '0']) {
      const { statusCode, headers } = await app.inject('/scan/top-schemas')
      expect(statusCode).toBe(200)
      expect(headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': remaining })
    }
    const refused = await app.inject('/api/scan/schemas')
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ success: false, statusCode: 429, data: {} })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.headers['access-control-expose-headers']).toContain('x-ratelimit-remaining')
    expect(refused.headers['x-ratelimit-remaining']).toBe('0')
  })

  test('counts over the network alike, answers that are kept too', async () => {
    const port = await listenLocally(serve({ rateLimit }))
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) {
      statuses.push((await fetch(`http://127.0.0.1:${port}/scan/latest-attestations`)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  })

  test('is announced by headers of every kind of answer', async () => {
    const journal = createTestJournal()
    const app = serve({ rateLimit: { ...rateLimit, max: 20 }, journal })
    const { etag } = (await app.inject('/scan/schemas')).headers
    const answers = [
      await app.inject({ url: '/scan/schemas', headers: { 'if-none-match': String(etag) } }),
      await app.inject({ url: '/scan/schemas', headers: { 'accept-encoding': 'br' } }),
      await app.inject('/scan/schemas?size=0'),
      await app.inject('/nothing'),
      await app.inject({ method: 'OPTIONS', url: '/scan/schemas' }),
      await app.inject({ method: 'POST', url: '/graphql', payload: { query: '{ __typename }' } }),
      await app.inject({ method: 'POST', url: '/scan/attestations/status', payload: { ids: [] } }),
      await app.inject('/scan/export/schemas.csv'),
      await app.inject({ method: 'HEAD', url: '/scan/events' }),
      await app.inject('/openapi.json'),
    ]
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([304, 200, 400, 404, 204, 200, 400, 200, 200, 200])
    const remaining = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(remaining).toEqual(answers.map((_, index) => 18 - index))
    await app.close()
    await journal.close()
  })

  test('is announced by the headers of the IETF draft too', async () => {
    const { headers } = await serve({ rateLimit }).inject('/scan/top-schemas')
    expect(headers['ratelimit-policy']).toBe('"requests";q=3;w=60')
    expect(headers['ratelimit']).toMatch(/^"requests";r=2;t=(?:60|5\d)$/)
  })

  test('may bound the time that handlers take, over all paths', async () => {
    const index = createSampleIndex()
    const reader = openTestIndex(index)
    const listTopSchemas: typeof reader.listTopSchemas = async (size) => {
      const endMs = performance.now() + 30
      while (performance.now() < endMs) await Promise.resolve()
      return await reader.listTopSchemas(size)
    }
    const app = serve({
      reader: { ...reader, listTopSchemas },
      rateLimit: { costMs: 50, windowSeconds: 60 },
      keptBytesMax: 0,
    })
    const ask = () => app.inject('/scan/top-schemas')
    const first = await ask()
    expect([first.statusCode, first.headers['ratelimit-policy']]).toEqual([
      200,
      '"cost";q=50;w=60;qu="milliseconds"',
    ])
    await ask()
    const refused = await ask()
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({
      message: expect.stringMatching(/its 50 milliseconds of processing/) as unknown,
    })
  })

  test('is that of the key which a request sends, wherever it comes from', async () => {
    const key = newKey()
    const app = serve({
      rateLimit,
      keys: [
        { name: 'gatekeeper', hash: hashKey(key), rate: 5 },
        { name: 'free', hash: hashKey('free') },
      ],
    })
    const ask = async (headers: Record<string, string>, remoteAddress: string) =>
      (await app.inject({ url: '/scan/top-schemas', headers, remoteAddress })).statusCode
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push(await ask({ 'x-api-key': key }, `192.0.2.${i}`))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    for (let i = 0; i < 9; i++) expect(await ask({ 'x-api-key': 'free' }, '192.0.2.1')).toBe(200)
    // A key of nobody is that of the address.
    for (const expected of [200, 200, 200, 429])
      expect(await ask({ 'x-api-key': 'guessed' }, '192.0.2.1')).toBe(expected)
  })

  test('counts what no route takes as well', async () => {
    const app = serve({ rateLimit })
    const ask = async (method: 'GET' | 'POST' | 'OPTIONS', url: string) =>
      (await app.inject({ method, url })).statusCode
    expect(await ask('GET', '/nothing')).toBe(404)
    expect(await ask('POST', '/scan/schemas')).toBe(405)
    expect(await ask('OPTIONS', '/scan/schemas')).toBe(204)
    expect(await ask('GET', '/nothing')).toBe(429)
    expect(await ask('GET', '/scan/schemas')).toBe(429)
  })

  test('exempts the health paths', async () => {
    const app = serve({ rateLimit })
    for (let i = 0; i < 6; i++) expect((await app.inject('/healthz')).statusCode).toBe(200)
  })

  test('believes who a client is only of a proxy that is trusted', async () => {
    const ask = async (app: FastifyInstance, client: string) => {
      const headers = { 'x-forwarded-for': client }
      return (await app.inject({ url: '/scan/schemas', headers, remoteAddress: '10.0.0.1' })).statusCode
    }
    const trusting = serve({ rateLimit, trustProxy: ['10.0.0.0/8'] })
    for (let i = 0; i < 6; i++) expect(await ask(trusting, `192.0.2.${i}`)).toBe(200)
    for (const expected of [200, 200, 429]) expect(await ask(trusting, '192.0.2.0')).toBe(expected)
    // A client cannot get another limit by inventing addresses before the one that the proxy saw.
    for (let i = 0; i < 2; i++) await ask(trusting, `203.0.113.${i}, 192.0.2.9`)
    await ask(trusting, '203.0.113.7, 192.0.2.9')
    expect(await ask(trusting, '203.0.113.8, 192.0.2.9')).toBe(429)
    const other = serve({ rateLimit })
    for (let i = 0; i < 3; i++) await ask(other, `192.0.2.${i}`)
    expect(await ask(other, '192.0.2.77')).toBe(429)
  })

  test('sees one client in the addresses of one IPv6 network', async () => {
    const app = serve({ rateLimit })
    const statuses: number[] = []
    for (let i = 1; i <= 4; i++) {
      const request = { url: '/scan/schemas', remoteAddress: `2001:db8:0:1::${i}` }
      statuses.push((await app.inject(request)).statusCode)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('under overload', () => {
  test('no more is taken on than can be done at once, and the paths of health answer', async () => {
    const { app, meter, fillUp } = serveUntilFull()
    const { waiting, release } = await fillUp()
    const refused = await app.inject('/scan/schemas')
    expect(refused.statusCode).toBe(503)
    expect(refused.headers['retry-after']).toMatch(/^[0-9]+$/)
    expect(refused.json()).toMatchObject({ success: false, statusCode: 503 })
    expect((await app.inject('/healthz')).statusCode).toBe(200)
    release()
    for (const response of await Promise.all(waiting)) expect(response.statusCode).toBe(200)
    expect((await app.inject('/scan/schemas')).statusCode).toBe(200)
    expect(meter).toMatchObject({ inFlight: 0, shedCount: 1 })
  })

  test('one client takes at most half of what can be done at once', async () => {
    const { app, meter, fillUp } = serveUntilFull({ limits: { load: { inFlightMax: 20 } } })
    const { waiting, release } = await fillUp()
    const ask = (remoteAddress: string, url: string) => app.inject({ url, remoteAddress })
    for (let sent = 2; sent < 10; sent++) waiting.push(ask('127.0.0.1', '/scan/top-schemas'))
    await vi.waitUntil(() => meter.inFlight === 10, { timeout: 60_000 })
    expect((await ask('127.0.0.1', '/scan/schemas')).statusCode).toBe(503)
    expect((await ask('127.0.0.1', '/healthz')).statusCode).toBe(200)
    expect((await ask('192.0.2.1', '/scan/schemas')).statusCode).toBe(200)
    release()
    for (const response of await Promise.all(waiting)) expect(response.statusCode).toBe(200)
    expect((await ask('127.0.0.1', '/scan/schemas')).statusCode).toBe(200)
    expect(meter).toMatchObject({ inFlight: 0, shedCount: 1 })
  })

  test('cached answers are refused as well, and refusals are counted', async () => {
    const { app, meter, fillUp } = serveUntilFull()
    const url = `http://127.0.0.1:${await listenLocally(app)}/scan/latest-attestations`
    for (let i = 0; i < 3; i++) expect((await fetch(url)).status).toBe(200)
    const { release } = await fillUp()
    expect((await fetch(url)).status).toBe(503)
    release()
    expect((await fetch(url)).status).toBe(200)
    const figures = meter.figures().find(({ route }) => route === '/scan/latest-attestations')
    expect(figures?.statuses).toEqual([
      { statusCode: 200, count: 4 },
      { statusCode: 503, count: 1 },
    ])
  })

  test('a refused GraphQL document gets 503, is counted, and does not count as a failure of the server', async () => {
    const logged: unknown[] = []
    const { app, meter, fillUp } = serveUntilFull({ logger: recordingLogger(logged) })
    const { release } = await fillUp()
    const refused = await app.inject({
      method: 'POST',
      url: '/graphql',
      payload: { query: '{ __typename }' },
    })
    release()
    expect(refused.statusCode).toBe(503)
    expect(refused.headers['retry-after']).toMatch(/^[0-9]+$/)
    expect(refused.json()).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
    const figures = meter.figures().find(({ route }) => route === '/graphql')
    expect(figures?.statuses).toEqual([{ statusCode: 503, count: 1 }])
    expect(logged).toEqual([])
  })

  test('requests are refused while the event loop is late, and answered when it is not', async () => {
    const app = serve({ limits: { load: { lagMaxMs: 100 } } })
    await listenLocally(app)
    await vi.waitUntil(
      async () => {
        const until = performance.now() + 600
        while (performance.now() < until);
        await new Promise((resolve) => setTimeout(resolve, 1))
        return (await app.inject('/scan/schemas')).statusCode === 503
      },
      { timeout: 60_000 },
    )
    await expect.poll(async () => (await app.inject('/scan/schemas')).statusCode).toBe(200)
  })
})

describe('connections by the hundred that bring no request to its end', () => {
  const beginnings: [name: string, bytes: string, isDripping: boolean][] = [
    ['say nothing at all', '', false],
    ['drip their headers', 'GET /scan/schemas HTTP/1.1\r\nHost: x\r\nX-Slow: ', true],
    ['stop in the middle of a line', 'GET /scan/sch', false],
    ['announce a body that never comes', `${postHead}Content-Length: 9\r\n\r\n{`, false],
    ['drip a body', `${postHead}Content-Length: 60000\r\n\r\n{`, true],
    ['drip a body of unknown length', `${postHead}Transfer-Encoding: chunked\r\n\r\n`, true],
    ['are answered, and then say no more', 'GET /scan/schemas HTTP/1.1\r\nHost: x\r\n\r\n', false],
  ]

  test.each(beginnings)(
    'leave the service answering, and are closed: those that %s',
    async (_name, bytes, isDripping) => {
      const timeouts = { headersMs: 300, requestMs: 600, checkMs: 50, keepAliveMs: 300, idleMs: 1_000 }
      const app = serve({ limits: { timeouts } })
      const port = await listenLocally(app)
      const sockets = await Promise.all(Array.from({ length: 300 }, () => open(port, bytes)))
      const piece = bytes.includes('chunked') ? '1\r\nx\r\n' : 'x'
      const drip = setInterval(() => {
        for (const socket of sockets) if (isDripping && socket.writable) socket.write(piece)
      }, 20)
      try {
        for (let i = 0; i < 20; i++) {
          const url = `http://127.0.0.1:${port}/scan/schemas?size=${i + 1}`
          expect(await statusInTime(url, timeouts.headersMs)).toBe(200)
        }
        await vi.waitUntil(() => sockets.every((socket) => socket.destroyed), { timeout: 60_000 })
        expect(await statusInTime(`http://127.0.0.1:${port}/healthz`, timeouts.headersMs)).toBe(200)
      } finally {
        clearInterval(drip)
        for (const socket of sockets) socket.destroy()
      }
    },
  )

  test('so do those that take nothing of their answers', async () => {
    const app = serve({ limits: { timeouts: { idleMs: 1_000, checkMs: 50 } } })
    const port = await listenLocally(app)
    const question = 'GET /scan/attestations?size=100&fields=detail HTTP/1.1\r\nHost: x\r\n\r\n'
    // More than the buffers of the operating system take.
    const sockets = await Promise.all(Array.from({ length: 5 }, () => open(port, question.repeat(1_000))))
    for (const socket of sockets) socket.pause()
    try {
      await vi.waitUntil(async () => (await connectionCount(app)) === 0, { timeout: 60_000 })
      expect((await fetch(`http://127.0.0.1:${port}/scan/schemas`)).status).toBe(200)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
})

const postHead = 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

/** A server with a limit of two concurrent requests; `fillUp` sends two that wait until they are released. */
function serveUntilFull(options: TestServerOptions = {}) {
  const index = createSampleIndex()
  const reader = openTestIndex(index)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const meter = createRequestMeter()
  const app = serve({
    reader: {
      ...reader,
      listTopSchemas: async (limit) => (await promise, await reader.listTopSchemas(limit)),
    },
    meter,
    limits: { load: { inFlightMax: 2 } },
    ...options,
  })
  const fillUp = async () => {
    const waiting = [app.inject('/scan/top-schemas'), app.inject('/scan/top-schemas')]
    await vi.waitUntil(() => meter.inFlight === 2, { timeout: 60_000 })
    return { waiting, release: () => resolve(undefined) }
  }
  return { app, meter, fillUp }
}

function recordingLogger(logged: unknown[]): FastifyBaseLogger {
  const silent = () => undefined
  const record = (entry: unknown) => void logged.push(entry)
  const logger: FastifyBaseLogger = {
    level: 'error',
    error: record,
    fatal: record,
    warn: silent,
    info: silent,
    debug: silent,
    trace: silent,
    silent,
    child: () => logger,
  }
  return logger
}

async function connectionCount(app: FastifyInstance): Promise<number> {
  return await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

/**
 * The status of the answer to a request. On a busy machine the request may itself come after the deadline of its headers:
 * then it is sent again. A 408 before the deadline counts.
 */
async function statusInTime(url: string, deadlineMs: number): Promise<number> {
  for (;;) {
    const startMs = performance.now()
    const { status } = await fetch(url)
    if (status !== 408 || performance.now() - startMs < deadlineMs) return status
  }
}

async function open(port: number, bytes: string): Promise<Socket> {
  return await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.write(bytes)
      resolve(socket)
    })
    socket.on('error', () => socket.destroy())
    socket.resume()
  })
}
