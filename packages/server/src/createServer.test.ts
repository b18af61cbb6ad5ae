import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyBaseLogger } from 'fastify'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { hashKey, newKey } from './pipeline/access/apiKeys.ts'
import { openAccess } from '@attestry/host/config/accessRules.ts'
import { createServer } from './testing/createServer.ts'
import { createTestIndex, openTestIndex } from './pipeline/testing/testIndex.ts'
import { createSampleIndex, sampleChain } from './pipeline/testing/sampleIndex.ts'
import { sampleAttestation } from './pipeline/testing/sampleRecords.ts'
import { listenLocally, sendRaw } from './pipeline/testing/sendRaw.ts'

const index = createSampleIndex()
const logged: unknown[] = []
const silent = () => undefined
const logger: FastifyBaseLogger = {
  level: 'error',
  error: (entry: unknown) => logged.push(entry),
  fatal: silent,
  warn: silent,
  info: silent,
  debug: silent,
  trace: silent,
  silent,
  child: () => logger,
}
const app = createServer({ reader: openTestIndex(index), logger })
let port = 0
beforeAll(async () => {
  port = await listenLocally(app)
})
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
  logged.length = 0
})

const sentence: unknown = expect.stringMatching(/^.{20,400}[.]$/)
const envelope = (statusCode: number) => ({ success: false, statusCode, data: {}, message: sentence })

describe('paths', () => {
  test.each(['/scan/schemas', '/scan/schemas/', '/api/scan/schemas', '/api/scan/schemas/?x=1'])(
    '%s answers',
    async (url) => {
      const response = await app.inject(url)
      expect(response.statusCode).toBe(200)
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(response.json()).toMatchObject({ data: { total: 12 } })
    },
  )

  test.each([
    '/',
    '/scan/schemas//',
    '/Scan/schemas',
    '/scan/schemas/a/b',
    '/scan/addresses',
    '/scan/addresses//statistics',
    '/api',
    '/api/api/scan/schemas',
    '/index.php',
  ])('%s is a 404', async (url) => {
    const response = await app.inject(url)
    expect(response.json()).toEqual(envelope(404))
    expect(response.statusCode).toBe(404)
  })

  test('HEAD answers as GET does, without a body', async () => {
    const [get, head] = await Promise.all([
      app.inject('/scan/schemas'),
      app.inject({ method: 'HEAD', url: '/scan/schemas' }),
    ])
    expect(head.statusCode).toBe(200)
    expect(head.body).toBe('')
    const { date, ...headers } = head.headers
    expect(date).toBeDefined()
    expect(get.headers).toMatchObject(headers)
  })

  test('JSON is answered for any Accept header', async () => {
    const response = await app.inject({ url: '/nothing', headers: { accept: 'text/html' } })
    expect(response.json()).toEqual(envelope(404))
  })
})

describe('methods', () => {
  const known = [
    '/scan/search',
    '/api/scan/schemas/x',
    '/scan/addresses/x/statistics/',
    '/healthz',
    '/readyz',
  ]

  test.each(known)('but GET, HEAD and OPTIONS are refused on %s', async (url) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'] as const) {
      const request = { method: method as 'POST', url, headers: { 'content-type': 'x;;' }, payload: '{"' }
      const response = await app.inject(request)
      expect(response.json()).toEqual(envelope(405))
      expect(response.statusCode).toBe(405)
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
    }
  })

  test('on an unknown path get 404, whatever their method', async () => {
    expect((await app.inject({ method: 'POST', url: '/nothing', payload: '{' })).statusCode).toBe(404)
  })

  test('a body that is announced as huge is not waited for', async () => {
    const head =
      'POST /scan/schemas HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n'
    expect((await sendRaw(port, head))?.statusCode).toBe(405)
  })
})

describe('other origins', () => {
  test('may read every answer, errors too', async () => {
    for (const url of ['/scan/schemas', '/scan/schemas/x', '/nothing', '/%zz', '/healthz', '/readyz']) {
      const response = await app.inject({ url, headers: { origin: 'https://example.org' } })
      expect(response.headers['access-control-allow-origin']).toBe('*')
    }
  })

  const sent = [
    ...['content-type', 'authorization', 'x-api-key', 'x-sign-api-key', 'if-none-match'],
    ...['if-attestry-version-at-least', 'last-event-id'],
    ...['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'],
    ...['apollo-require-preflight', 'x-apollo-operation-name', 'traceparent', 'tracestate', 'baggage'],
  ]
  test.each(['/scan/schemas', '/api/scan/attestations/x', '/nothing'])(
    'may ask before for %s',
    async (url) => {
      const response = await app.inject({
        method: 'OPTIONS',
        url,
        headers: {
          origin: 'https://example.org',
          'access-control-request-method': 'GET',
          'access-control-request-headers': sent.join(', '),
        },
      })
      expect(response.statusCode).toBe(204)
      expect(response.headers['access-control-allow-origin']).toBe('*')
      expect(response.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
      const allowed = String(response.headers['access-control-allow-headers']).split(', ')
      // Browsers that know `*` take any header but `authorization` for it.
      expect(allowed).toEqual(expect.arrayContaining(['*', ...sent]))
    },
  )

  test('OPTIONS without a preflight lists the methods of an existing path', async () => {
    expect((await app.inject({ method: 'OPTIONS', url: '/scan/schemas' })).headers.allow).toBe(
      'GET, HEAD, OPTIONS',
    )
    expect((await app.inject({ method: 'OPTIONS', url: '/nothing' })).statusCode).toBe(404)
  })
})

describe('caching', () => {
  const url = '/scan/attestations?size=100'

  test('an answer has a validator, and is not sent again while it holds', async () => {
    const { etag } = (await app.inject(url)).headers
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
    for (const method of ['GET', 'HEAD'] as const) {
      const again = await app.inject({ method, url, headers: { 'if-none-match': `"x", ${etag}` } })
      expect(again.statusCode).toBe(304)
      expect(again.body).toBe('')
      expect(again.headers).toMatchObject({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' })
    }
  })

  test.each([
    ['public', openAccess],
    ['public', { ...openAccess, private: { metrics: ['/metrics'] } }],
    ['private', { ...openAccess, private: { scan: ['/scan'] } }],
    ['private', { ...openAccess, anonymous: false }],
    ['private', { ...openAccess, origins: ['https://app.example'] }],
  ])('caches may keep records where the operator says so, as %s under %j', async (scope, access) => {
    const key = newKey()
    const keeping = createServer({
      reader: openTestIndex(index),
      maxAgeSeconds: 5,
      access,
      keys: [{ name: 'client', hash: hashKey(key) }],
    })
    const headers = { 'x-api-key': key }
    const { headers: first } = await keeping.inject({ url, headers })
    const { headers: second, statusCode } = await keeping.inject({
      url,
      headers: { ...headers, 'if-none-match': `${first.etag}` },
    })
    expect(statusCode).toBe(304)
    for (const found of [first, second]) {
      expect(found).toMatchObject({
        'cache-control': `${scope}, max-age=5, stale-while-revalidate=5`,
        vary: 'accept-encoding, if-attestry-version-at-least',
      })
    }
    // The status of chains depends on the clock; errors are never kept.
    const fresh = await keeping.inject({ url: '/scan/chains', headers })
    expect(fresh.headers['cache-control']).toBe('no-cache')
    const missing = await keeping.inject({ url: '/scan/attestations/nothing', headers })
    expect(missing.headers['cache-control']).toBe('no-store')
    await keeping.close()
  })

  test('the validator changes with the content, not with the version', async () => {
    const { etag } = (await app.inject(url)).headers
    index.version++
    expect((await app.inject({ url, headers: { 'if-none-match': `${etag}` } })).statusCode).toBe(304)
    index.version++
    index.attestations = [...index.attestations, sampleAttestation(99)]
    expect((await app.inject({ url, headers: { 'if-none-match': `${etag}` } })).statusCode).toBe(200)
  })

  test('an answer that is asked for again is not read again until the index moves', async () => {
    for (let i = 0; i < 5; i++) await app.inject('/scan/top-schemas?kept')
    expect(index.readCount).toBeLessThanOrEqual(2)
    index.version++
    index.schemas = []
    expect((await app.inject('/scan/top-schemas?kept')).json()).toMatchObject({ data: { rows: [] } })
  })

  test('an answer is not kept when the index moved while it was read', async () => {
    const versionBefore = index.version
    for (let i = 1; i <= 4; i++) {
      // The version is back where it was when the request began: only the moving in between can tell.
      index.version = versionBefore
      index.onRead = () => {
        index.version = versionBefore + 1
      }
      index.attestations = Array.from({ length: i }, (_, n) => sampleAttestation(n))
      expect((await app.inject('/scan/attestations?moving')).json()).toMatchObject({ data: { total: i } })
    }
    expect(index.readCount).toBe(4)
  })

  test('errors are not kept by anybody', async () => {
    expect((await app.inject('/scan/schemas/x')).headers['cache-control']).toBe('no-store')
  })
})

describe('compression', () => {
  const url = '/scan/attestations?size=100&fields=detail'

  test('is as the client likes it, and decompresses to the same', async () => {
    const plain = await app.inject(url)
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [accepted, coding, decompress] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      for (let i = 0; i < 3; i++) {
        const response = await app.inject({ url, headers: { 'accept-encoding': accepted } })
        expect(response.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
        expect(response.headers.etag).toBe(plain.headers.etag)
        expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length)
        expect(response.rawPayload.length).toBeLessThan(plain.body.length / 5)
        expect(decompress(response.rawPayload).toString()).toBe(plain.body)
      }
    }
  })

  test('leaves small answers alone', async () => {
    const response = await app.inject({ url: '/scan/search', headers: { 'accept-encoding': 'br' } })
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(response.headers.vary).toBe('accept-encoding')
  })
})

describe('failures', () => {
  const secret = 'postgres://user:secret@host/db refused'

  test('of the store are a 503 with a constant text and a time to come back', async () => {
    index.failure = new StoreUnavailableError(secret)
    for (const url of ['/scan/schemas', '/scan/attestations/onchain_evm_1_0x1', '/scan/search?keyword=x']) {
      const response = await app.inject(url)
      expect(response.json()).toEqual(envelope(503))
      expect(response.headers['retry-after']).toMatch(/^[0-9]+$/)
      expect(response.body).not.toContain('secret')
    }
    expect(logged.length).toBe(3)
    expect((await app.inject('/healthz')).statusCode).toBe(200)
  })

  test('of our own are a 500 with a constant text, and logged', async () => {
    index.failure = new TypeError(secret)
    const response = await app.inject('/scan/schemas')
    expect(response.json()).toEqual(envelope(500))
    expect(response.body).not.toContain('secret')
    expect(logged).toHaveLength(1)
    index.failure = null
    expect((await app.inject('/scan/schemas')).statusCode).toBe(200)
  })

  test('in the request do not fill the log', async () => {
    await app.inject('/scan/schemas?page=x')
    expect(logged).toEqual([])
  })
})

describe('health', () => {
  test('the process answers', async () => {
    const data = { status: 'ok' }
    expect((await app.inject('/healthz')).json()).toEqual({
      success: true,
      statusCode: 200,
      data,
      message: 'ok',
    })
    expect((await app.inject('/api/healthz/')).statusCode).toBe(200)
  })

  test('the index is ready when every chain that is followed was at its head', async () => {
    index.chains = [sampleChain(), sampleChain({ chainId: 1, phase: 'paused', reachedHead: false })]
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      success: true,
      data: { status: 'ready', chains: [{ chainId: '1' }, { chainId: '11155111', phase: 'following' }] },
    })
  })

  test('a chain that is behind is waited for and named', async () => {
    const behind = sampleChain({
      chainId: 10,
      phase: 'retrying',
      reachedHead: false,
      lastError: 'No endpoint answers.',
    })
    index.chains = [sampleChain(), behind]
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({
      success: false,
      statusCode: 503,
      data: { status: 'notReady', chains: [{ chainId: '10', lastError: 'No endpoint answers.' }, {}] },
      message: 'Not every chain has reached its head yet; wait for chain 10.',
    })
  })

  test('an index without chains is not ready', async () => {
    Object.assign(index, createTestIndex())
    expect((await app.inject('/readyz')).statusCode).toBe(503)
  })

  test('chains of the configuration are waited for before their indexer has told of them', async () => {
    const paused = sampleChain({ chainId: 8453, phase: 'paused', reachedHead: false })
    const known = createTestIndex({ chains: [sampleChain(), paused] })
    const other = createServer({
      reader: openTestIndex(known),
      chainIds: [11155111, 8453, 10],
    })
    const response = await other.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({
      message: 'Not every chain has reached its head yet; wait for chain 8453, 10.',
    })
    await other.close()
  })

  test('an index that cannot be read is not ready', async () => {
    index.failure = new StoreUnavailableError('away')
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({
      success: false,
      data: { status: 'storeUnavailable', chains: [] },
    })
  })
})

describe('broken HTTP is answered with the envelope', () => {
  const get = (url: string, headers = '') =>
    `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['no Host', 'GET /scan/schemas HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['raw bytes in the URL', get('/scan/search?keyword=\xe6\x84\x9b'), 400],
    ['broken encoding', get('/scan/%e6%84'), 400],
    ['a header without a name', get('/', ': x\r\n'), 400],
    ['two lengths', get('/', 'Content-Length: 1\r\nContent-Length: 2\r\n'), 400],
    ['an unknown expectation', get('/healthz', 'Expect: magic\r\n'), 417],
    ['a long URL', get(`/scan/search?keyword=${'x'.repeat(13_000)}`), 414],
    ['a long path', get(`/${'%41'.repeat(5000)}`), 414],
    ['a long broken path', get(`/%zz${'x'.repeat(13_000)}`), 414],
    ['a very long URL', get(`/scan/search?keyword=${'x'.repeat(200_000)}`), 414],
    ['long headers', get('/healthz', `X: ${'x'.repeat(25_000)}\r\n`), 431],
    ['very many headers', get('/healthz', 'X: x\r\n'.repeat(10_000)), 431],
  ])('%s', async (_name, bytes, statusCode) => {
    const answer = await sendRaw(port, Buffer.from(bytes, 'latin1'))
    expect(answer?.statusCode).toBe(statusCode)
    expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer?.headers['access-control-allow-origin']).toBe('*')
    const body = (answer?.body ?? '').replace(/^[0-9a-f]+\r\n(.*)\r\n0\r\n\r\n$/s, '$1')
    expect(JSON.parse(body)).toEqual(envelope(statusCode))
  })

  test('and the server survives any bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 60 }).map((array) => Buffer.from(array)),
      fc
        .tuple(fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS'), fc.uint8Array({ maxLength: 30 }))
        .map(([method, url]) =>
          Buffer.concat([Buffer.from(`${method} /`), url, Buffer.from(' HTTP/1.1\r\nHost: x\r\n')]),
        ),
    )
    // The end makes any beginning a whole request, or a broken one.
    const end = Buffer.from(
      '\r\nConnection: close\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (start) => {
        const answer = await sendRaw(port, Buffer.concat([start, end]))
        expect(answer?.statusCode ?? 400).toBeLessThan(500)
      }),
      { numRuns: 150 },
    )
    expect((await app.inject('/healthz')).statusCode).toBe(200)
  })

  test('an absolute URL, as proxies send it, means its path', async () => {
    const answer = await sendRaw(port, get('http://host.example/scan/schemas?size=1'))
    expect(answer?.statusCode).toBe(200)
    const refused = await sendRaw(port, get('http://host.example/scan/schemas').replace('GET', 'DELETE'))
    expect(refused?.statusCode).toBe(405)
  })
})

describe('closing', () => {
  test('does not wait for clients that keep their connection open', async () => {
    const other = createServer({ reader: openTestIndex(index) })
    const otherPort = await listenLocally(other)
    const halfRequest = sendRaw(otherPort, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')
    await sendRaw(otherPort, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await other.close()
    expect(await halfRequest).toBeNull()
  })
})
