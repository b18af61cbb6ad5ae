import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServer } from '../testing/createServer.ts'
import { createRequestCounts } from './limits/requestCounts.ts'
import { createRequestMeter } from './metrics/requestMeter.ts'
import { openTestIndex } from './testing/testIndex.ts'
import { createSampleIndex } from './testing/sampleIndex.ts'
import { sampleChainId } from './testing/sampleRecords.ts'
import { listenLocally } from './testing/sendRaw.ts'

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index) })
let origin = ''
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listenLocally(app)}`
})
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
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

/** Asks until the answer is kept. */
async function keep() {
  const first = await get()
  await get()
  return first
}

test('a kept answer is the same to the letter, and is not read again', async () => {
  const first = await keep()
  const readsBefore = index.readCount
  const { date: _first, ...headers } = first.headers
  const again = await get()
  const { date: _again, ...headersAgain } = again.headers
  expect({ ...again, headers: headersAgain }).toEqual({ ...first, headers })
  expect(index.readCount).toBe(readsBefore)
})

test('when the index moves, the next answer is read anew', async () => {
  const first = await keep()
  index.version += 1
  Object.assign(index, { attestations: [] })
  const { body } = await get()
  expect(body).not.toBe(first.body)
})

test('a client that has the kept answer gets 304', async () => {
  const { headers } = await keep()
  const { status, body } = await get({ 'if-none-match': headers['etag'] ?? '' })
  expect([status, body]).toEqual([304, ''])
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
})

const record = `onchain_evm_${sampleChainId}_0x`

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

test('an answer is counted and timed by its route', async () => {
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
  'a limited client learns its limit from a cached answer, and is refused beyond it: counted %s',
  async (place) => {
    const count = createRequestCounts(60_000)
    const limited = createServer({
      reader: openTestIndex(index),
      rateLimit: { max: 9, windowSeconds: 60 },
      trustProxy: ['loopback'],
      ...(place === 'here' ? {} : { countRequest: (client: string) => Promise.resolve(count(client)) }),
    })
    const url = `http://127.0.0.1:${await listenLocally(limited)}${path}`
    const ask = async (client: string) => {
      const { status, headers } = await fetch(url, {
        headers: { 'accept-encoding': 'identity', 'x-forwarded-for': client },
      })
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    for (let i = 0; i < 7; i++) await ask('192.0.2.1')
    expect(await ask('192.0.2.1')).toEqual([200, '9', '1'])
    expect(await ask('192.0.2.1')).toEqual([200, '9', '0'])
    expect(await ask('192.0.2.2')).toEqual([200, '9', '8'])
    expect(await ask('192.0.2.1')).toEqual([429, '9', '0'])
    await limited.close()
  },
)

test('a request for a version is not answered from an older one that others share', async () => {
  const shared = createServer({ reader: openTestIndex(index), versionEveryMs: 60_000 })
  const ask = (headers: Record<string, string> = {}) => shared.inject({ url: path, headers })
  await ask()
  const { version } = index
  expect((await ask()).headers['x-attestry-version']).toBe(String(version))
  index.version += 1
  expect((await ask()).headers['x-attestry-version']).toBe(String(version))
  const asked = await ask({ 'if-attestry-version-at-least': String(version + 1) })
  expect([asked.statusCode, asked.headers['x-attestry-version']]).toEqual([200, String(version + 1)])
  await shared.close()
})
