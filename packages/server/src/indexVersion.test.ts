import { afterAll, beforeAll, expect, test } from 'vitest'
import { epochStep } from '@attestry/core/index/indexReader.ts'
import { createServer } from './testing/createServer.ts'
import { createSampleIndex } from './pipeline/testing/sampleIndex.ts'
import { listenLocally } from './pipeline/testing/sendRaw.ts'
import { openTestIndex } from './pipeline/testing/testIndex.ts'

const index = createSampleIndex()
index.version = 3 * epochStep + 41
const app = createServer({ reader: openTestIndex(index) })
let origin = ''
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listenLocally(app)}`
})
afterAll(() => app.close())

const status = {
  method: 'POST',
  url: '/scan/attestations/status',
  payload: { ids: ['onchain_evm_1_0x1'] },
} as const
const graphql = { method: 'POST', url: '/graphql', payload: { query: '{ __typename }' } } as const

test.each([
  '/scan/schemas',
  '/scan/schemas/onchain_evm_11155111_0x2',
  '/scan/schemas/onchain_evm_11155111_0xff',
  '/index/attestations',
  '/scan/export/schemas.csv',
  status,
  graphql,
])('the answer to %o names the version that every process reads alike', async (request) => {
  const response = await app.inject(request)
  expect(response.headers['x-attestry-version']).toBe('41')
  expect(response.headers['access-control-expose-headers']).toContain('x-attestry-version')
})

test('a cached answer and an unchanged one name the version too, also after it moved', async () => {
  for (let again = 0; again < 4; again++) {
    if (again === 2) index.version += 1
    const response = await fetch(`${origin}/scan/top-schemas`)
    expect(response.headers.get('x-attestry-version')).toBe(again < 2 ? '41' : '42')
    const etag = response.headers.get('etag') ?? ''
    const unchanged = await fetch(`${origin}/scan/top-schemas`, { headers: { 'if-none-match': etag } })
    expect(unchanged.status).toBe(304)
    expect(unchanged.headers.get('x-attestry-version')).toBe(again < 2 ? '41' : '42')
  }
  index.version -= 1
})

test('a request that asks for a version is answered from that on, and refused before it', async () => {
  const ask = (version: string, path = '/scan/top-schemas') =>
    fetch(origin + path, { headers: { 'if-attestry-version-at-least': version } })
  for (const version of ['0', '41']) expect((await ask(version)).status).toBe(200)
  const early = await ask('42')
  expect(early.status).toBe(412)
  expect(await early.json()).toMatchObject({
    message: expect.stringContaining('version 41, older than the version 42'),
  })
  index.version += 1
  expect((await ask('42')).status).toBe(200)
  expect((await ask('42', '/scan/export/schemas.ndjson')).status).toBe(200)
  for (const version of ['-1', '1.0', 'x', '9'.repeat(16)]) expect((await ask(version)).status).toBe(400)
})
