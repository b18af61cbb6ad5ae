import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServer } from '../createServer.ts'
import { createRequestCounts } from '../limits/requestCounts.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { listenLocally } from '../testing/sendRaw.ts'

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index), queries: openTestIndex(index) })
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
  expect(routed).toBe(1)
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
  expect(routed).toBe(1)
})

test('other methods go their way: HEAD to its route, POST to the guard that refuses it', async () => {
  await keep()
  expect((await fetch(origin + path, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(origin + path, { method: 'POST' })).status).toBe(405)
  expect(routed).toBe(1)
})

test.each(['here', 'for several processes'])(
  'a limited client learns its limit from a cached answer, and the route refuses it beyond: counted %s',
  async (place) => {
    const count = createRequestCounts(60_000)
    const limited = createServer({
      reader: openTestIndex(index),
      queries: openTestIndex(index),
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
