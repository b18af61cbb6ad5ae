import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import { createRequestCounts } from '../limits/requestCounts.ts'
import { createRequestMeter } from '../metrics/requestMeter.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { sampleAddress, sampleChainId } from '../testing/sampleRecords.ts'
import { listenLocally } from '../testing/sendRaw.ts'

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index) })
let routed = 0
app.addHook('onRequest', (_request, _reply, done) => {
  routed += 1
  done()
})
let origin = ''
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listenLocally(app)}`
})
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
  routed = 0
})

const path = '/scan/latest-attestations'

async function get(headers: Record<string, string> = {}) {
  const response = await fetch(origin + path, { headers: { 'accept-encoding': 'identity', ...headers } })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

/** Asks as often as it takes for the answer to be kept. */
async function keep() {
  const first = await get()
  await get()
  routed = 0
  return first
}

test('a kept answer is given without the router, the same to the letter', async () => {
  const first = await keep()
  const { date: _first, ...headers } = first.headers
  const again = await get()
  const { date: _again, ...headersAgain } = again.headers
  expect({ ...again, headers: headersAgain }).toEqual({ ...first, headers })
  expect(routed).toBe(0)
})

test('when the index moves, the next answer is read anew', async () => {
  const first = await keep()
  index.version += 1
  Object.assign(index, { attestations: [] })
  const { body } = await get()
  expect(body).not.toBe(first.body)
})

test('whoever has the answer is told so', async () => {
  const { headers } = await keep()
  const { status, body } = await get({ 'if-none-match': headers['etag'] ?? '' })
  expect([status, body, routed]).toEqual([304, '', 0])
})

test('a coding that stands ready is given as well, another is made first', async () => {
  const { body } = await keep()
  const compressed = () => get({ 'accept-encoding': 'gzip' })
  expect((await compressed()).body).toBe(body)
  expect((await compressed()).headers['content-encoding']).toBe('gzip')
})

test('other methods go their way: HEAD to its route, POST to the guard that refuses it', async () => {
  await keep()
  expect((await fetch(origin + path, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(origin + path, { method: 'POST' })).status).toBe(405)
  expect(routed).toBe(1)
})

const record = `onchain_evm_${sampleChainId}_0x`

describe('an answer without the router is that of the router', () => {
  // The lag of a chain is the same in both answers.
  const options = { keptBytesMax: 0, now: () => unixMilliseconds(1_800_000_000_000) }
  const fresh = createServer({ reader: openTestIndex(index), ...options })
  let freshRouted = 0
  fresh.addHook('onRequest', (_request, _reply, done) => {
    freshRouted += 1
    done()
  })
  let freshOrigin = ''
  beforeAll(async () => {
    freshOrigin = `http://127.0.0.1:${await listenLocally(fresh)}`
  })
  afterAll(() => fresh.close())

  async function compare(url: string, headers: Record<string, string>): Promise<number> {
    freshRouted = 0
    const direct = await fetch(freshOrigin + url, { headers })
    const routedBefore = freshRouted
    const routedAnswer = await fresh.inject({ url, headers: { host: 'localhost', ...headers } })
    const {
      date: _date,
      connection: _connection,
      'keep-alive': _keepAlive,
      ...sent
    } = Object.fromEntries(direct.headers)
    const { date: _, connection: _closes, ...expected } = routedAnswer.headers
    const body =
      expected['content-encoding'] === 'br'
        ? brotliDecompressSync(routedAnswer.rawPayload).toString()
        : routedAnswer.body
    expect([direct.status, sent, await direct.text()]).toEqual([routedAnswer.statusCode, expected, body])
    return routedBefore
  }

  test.each([
    `/scan/attestations/${record}1`,
    `/scan/attestations/${record}3?include=protocol`,
    `/api/scan/attestations/${record}1`,
    '/scan/attestations?page=2&size=3',
    `/scan/attestations?schemaId=${record}1&revoked=false`,
    `/scan/attestations/by-ids?ids=${record}1,${record}999`,
    '/scan/schemas?cursor=*&size=2',
    `/scan/addresses/${sampleAddress(2)}/attestations`,
    '/scan/chains',
  ])('%s', async (url) => {
    expect(await compare(url, { 'accept-encoding': 'identity' })).toBe(0)
    expect(await compare(url, { 'accept-encoding': 'br' })).toBe(0)
    const { headers } = await fetch(freshOrigin + url)
    const tag = headers.get('etag') ?? ''
    expect(await compare(url, { 'accept-encoding': 'identity', 'if-none-match': tag })).toBe(0)
  })

  test.each([
    `/scan/attestations/${record}999`,
    '/scan/attestations/nonsense',
    '/scan/attestations?page=first',
    '/scan/attestations/status',
    '/scan/attestations/by-ids',
    `/scan/attestations/${record.replaceAll('_', '%5F')}1`,
    '/scan/attestations/',
    '/scan/attestations/by-ids/proof',
    '/healthz',
  ])('%s: the router answers', async (url) => {
    expect(await compare(url, { 'accept-encoding': 'identity' })).toBe(1)
  })

  // The hooks that a test adds do not see requests without a route.
  test.each(['/scan//attestations', '/scan/nothing'])('%s: nothing is there', async (url) => {
    expect(await compare(url, { 'accept-encoding': 'identity' })).toBe(0)
  })
})

test('an answer that fails is looked for once, and counted once for its client', async () => {
  const meter = createRequestMeter()
  const limited = createServer({
    reader: openTestIndex(index),
    rateLimit: { max: 9, windowSeconds: 60 },
    meter,
  })
  const failingOrigin = `http://127.0.0.1:${await listenLocally(limited)}`
  const readsBefore = index.readCount
  for (const remaining of ['8', '7']) {
    const response = await fetch(`${failingOrigin}/scan/attestations/${record}999`)
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([404, remaining])
  }
  expect(index.readCount - readsBefore).toBe(2)
  const figures = meter.figures().find(({ route }) => route === '/scan/attestations/:id')
  expect(figures?.statuses).toEqual([{ statusCode: 404, count: 2 }])
  expect(figures?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(2)
  expect(meter.inFlight).toBe(0)
  await limited.close()
})

test('an answer without the router is counted and timed by its route', async () => {
  const meter = createRequestMeter()
  const counted = createServer({ reader: openTestIndex(index), meter })
  const countedOrigin = `http://127.0.0.1:${await listenLocally(counted)}`
  for (const base of ['', '/api']) {
    await (await fetch(`${countedOrigin}${base}/scan/attestations/${record}1`)).arrayBuffer()
  }
  const figures = meter.figures().find(({ route }) => route === '/scan/attestations/:id')
  expect(figures?.statuses).toEqual([{ statusCode: 200, count: 2 }])
  expect(figures?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(2)
  expect(meter.inFlight).toBe(0)
  await counted.close()
})

test('health does not wait for the store', async () => {
  const reader = { ...openTestIndex(index), indexVersion: () => new Promise<number>(() => undefined) }
  const stuck = createServer({ reader })
  const stuckOrigin = `http://127.0.0.1:${await listenLocally(stuck)}`
  expect((await fetch(`${stuckOrigin}/healthz`)).status).toBe(200)
  await stuck.close()
})

test.each(['here', 'for several processes'])(
  'a limited client learns its limit from a cached answer, and the route refuses it beyond: counted %s',
  async (place) => {
    const count = createRequestCounts(60_000)
    const limited = createServer({
      reader: openTestIndex(index),
      rateLimit: { max: 9, windowSeconds: 60 },
      trustProxy: ['loopback'],
      ...(place === 'here' ? {} : { countRequest: (client: string) => Promise.resolve(count(client)) }),
    })
    let limitedRouted = 0
    limited.addHook('onRequest', (_request, _reply, done) => {
      limitedRouted += 1
      done()
    })
    const url = `http://127.0.0.1:${await listenLocally(limited)}${path}`
    const ask = async (client: string) => {
      const { status, headers } = await fetch(url, {
        headers: { 'accept-encoding': 'identity', 'x-forwarded-for': client },
      })
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    for (let i = 0; i < 7; i++) await ask('192.0.2.1')
    limitedRouted = 0
    expect(await ask('192.0.2.1')).toEqual([200, '9', '1'])
    expect(await ask('192.0.2.1')).toEqual([200, '9', '0'])
    expect(await ask('192.0.2.2')).toEqual([200, '9', '8'])
    expect(limitedRouted).toBe(0)
    expect(await ask('192.0.2.1')).toEqual([429, '9', '0'])
    await limited.close()
  },
)
