import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createServer } from '../../testing/createServer.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { createSampleIndex, sampleChain } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAttestation, sampleSchema } from '../../pipeline/testing/sampleRecords.ts'
import type { ExplorerState } from './explorerSource.ts'
import { readExplorerBuild } from './readExplorerBuild.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-build-'))
const script = 'export const answer = 42\n'.repeat(100)
const index = createSampleIndex()
let state: ExplorerState = { kind: 'building' }
const app = createServer({ reader: openTestIndex(index), explorer: { state: () => state } })

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    '<html><head><title>A</title></head><body><div id="root"></div></body></html>',
  )
  writeFileSync(join(folder, 'theme.js'), 'void 0')
  writeFileSync(join(folder, 'assets/main-abc.js'), script)
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script))
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), gzipSync(script))
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ 'src/pages/schemas/SchemasPage.tsx': { file: 'assets/main-abc.js' } }),
  )
  const build = await readExplorerBuild(folder)
  state = { kind: 'ready', build }
})
const ready = () => state
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
})

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const schemaId = 'onchain_evm_11155111_0x1'
const get = (url: string, headers: Record<string, string> = browser) => app.inject({ url, headers })

describe('the pages', () => {
  test.each<[url: string, statusCode: number, title: RegExp]>([
    ['/', 200, /^Attestry: /],
    ['/schemas', 200, /^Schemas · Attestry$/],
    ['/schemas/', 200, /^Schemas · /],
    ['/attestations?chainId=1&page=7', 200, /^Attestations · /],
    ['/search?q=%3Cscript%3E', 200, /^Search · /],
    [`/schema/${schemaId}`, 200, /^Schema 1 · Schema · /],
    [`/schema/${schemaId}/`, 200, /^Schema 1 · Schema · /],
    ['/schema/onchain_evm_11155111_0xFFFF', 404, /^Schema not found · /],
    ['/schema/offchain_evm_1_x', 404, /^Schema not found · /],
    [`/schema/${schemaId}?protocol=sign`, 200, /^Schema 1 · Schema · /],
    [`/schema/${schemaId}?protocol=eas`, 404, /^Schema not found · /],
    [`/schema/${schemaId}?protocol=%00`, 400, /^No schema · /],
    ['/attestation/onchain_evm_11155111_0x4?protocol=eas', 404, /^Attestation not found · /],
    ['/schema/0x1', 400, /^No schema · /],
    ['/schema/%3Cb%3E', 400, /^No schema · /],
    ['/attestation/onchain_evm_11155111_0x3', 200, /^Quote .* 愛 · Attestation · /],
    ['/attestation/onchain_evm_11155111_0x4', 200, /^0x4 · Attestation · /],
    ['/attestation/onchain_evm_11155111_0xffff', 404, /^Attestation not found · /],
    ['/attestation/x', 400, /^No attestation · /],
    ['/address/0xAB00000000000000000000000000000000000002', 200, /^0xab0+2 · Attestry$/i],
    [`/address/0x${'9'.repeat(40)}`, 200, /^0x9+ · /],
    ['/address/0x12', 400, /^No address · /],
    ['/nowhere', 404, /^Not found · /],
    ['/schema/a/b', 404, /^Not found · /],
    ['/Schemas', 404, /^Not found · /],
  ])('%s: %i', async (url, statusCode, title) => {
    const response = await get(url)
    expect(response.statusCode).toBe(statusCode)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    const text = /<title>([^<]*)<\/title>/.exec(response.body)?.[1] ?? ''
    expect(text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toMatch(title)
    expect(response.body).toContain('<div id="root">')
  })

  test('describe the record in their address', async () => {
    const { body } = await get('/attestation/onchain_evm_11155111_0x3')
    expect(body).toContain(
      'content="Revoked. 0xab00…0002 attested Quote &#34; \\ 愛 to 0xAb00…0003 and 3 others on 2023-11-16, on Sepolia.',
    )
    expect((await get(`/schema/${schemaId}`)).body).toContain(' on Sepolia. The &#34;1&#34;th" />')
    expect((await get('/address/0xab00000000000000000000000000000000000002')).body).toContain(
      'content="Made 25 attestations, received 0, registered 0 schemas."',
    )
    expect((await get('/chain/11155111')).body).toMatch(
      /<title>Sepolia .*content="\d+ attestations and \d+ schemas on Sepolia\."/s,
    )
    const statusOf = async (url: string) => (await get(url)).statusCode
    expect(await Promise.all(['/chain/7', '/chain/x', '/portal/x'].map(statusOf))).toEqual([404, 404, 400])
  })

  test.each([
    ['/attestation/onchain_evm_11155111_0x5', 'Valid. 0xab00…0002 attested '],
    ['/attestation/onchain_evm_11155111_0x6', 'Expired. 0xab00…0002 attested '],
    ['/attestation/onchain_evm_11155111_0x3', 'Revoked. 0xab00…0002 attested '],
  ])('tell the state of an attestation, and its chain by name: %s', async (url, words) => {
    index.attestations = index.attestations.with(5, sampleAttestation(6, { validUntil: 1_700_000_001n }))
    const [, description = ''] = /name="description" content="([^"]*)"/.exec((await get(url)).body) ?? []
    expect(description.startsWith(words)).toBe(true)
    expect(description).toMatch(/, on Sepolia\.$/)
  })

  test.each([
    [
      '/attestation/onchain_evm_11155111_0x5',
      /^The index of chain 11155111 is \d+ s old\. 0xab00…0002 attested /,
    ],
    [
      '/attestation/onchain_evm_11155111_0x3',
      /^The index of chain 11155111 is \d+ s old\. Revoked\. 0xab00…0002 attested /,
    ],
    [
      '/attestation/onchain_evm_11155111_0xffff',
      /^No attestation of this id is indexed here\. The index of chain 11155111 is/,
    ],
    [`/address/0x${'9'.repeat(40)}`, /^The index of chain 11155111 is \d+ s old\. Made 0 attestations/],
    ['/transaction/0x' + 'ab'.repeat(32), /^Nothing of this transaction is indexed here\. The index of/],
    ['/agent/11155111:7', /^No agent of this id is indexed here\. The index of/],
    ['/chain/11155111', /^The index of chain 11155111 is/],
    ['/attestation/x', /^This address holds no valid id/],
  ])('say first that the index is behind: %s', async (url, words) => {
    index.chains = [sampleChain({ updatedAt: unixMilliseconds(1_000) })]
    const [, description = ''] = /name="description" content="([^"]*)"/.exec((await get(url)).body) ?? []
    expect(description).toMatch(words)
  })

  test.each([
    ['/attestations?chainId=1&page=7', '/attestations'],
    ['/offchain/url', '/verify'],
    [`/schema/${schemaId}?protocol=sign`, `/schema/${schemaId}`],
    ['/schema/onchain_evm_11155111_0X1/', `/schema/${schemaId}`],
    [
      '/address/0xAB00000000000000000000000000000000000002',
      '/address/0xab00000000000000000000000000000000000002',
    ],
    ['/schema/onchain_evm_11155111_0xffff', undefined],
    ['/nowhere', undefined],
    [
      '/portal/0xAB00000000000000000000000000000000000002',
      '/portal/0xab00000000000000000000000000000000000002',
    ],
    ['/chain/11155111', '/chain/11155111'],
  ])('name the one path of what they show: %s', async (url, path) => {
    const found = /<link rel="canonical" href="([^"]*)" \/>/.exec((await get(url)).body)?.[1]
    expect(found).toBe(path)
  })

  test('name the protocol in the path of a record that is the second of its id', async () => {
    const id = 'onchain_evm_11155111_0x1'
    index.chains = [sampleChain({ protocols: ['eas', 'sign'] })]
    index.attestations = []
    index.revocations = {}
    index.schemas = [sampleSchema(1), sampleSchema(1, { protocol: 'eas', position: eventPosition(1_001, 1) })]
    const canonical = async (url: string) =>
      /<link rel="canonical" href="([^"]*)" \/>/.exec((await get(url)).body)?.[1]
    expect(await canonical(`/schema/${id}?protocol=sign`)).toBe(`/schema/${id}?protocol=sign`)
    expect(await canonical(`/schema/${id}?protocol=eas`)).toBe(`/schema/${id}`)
  })

  test('name the files that they are made of, which the list of them is not served for', async () => {
    const part = '<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/main-abc.js">'
    expect((await get('/schemas')).body).toContain(part)
    expect((await get('/attestations')).body).not.toContain(part)
    expect((await get('/manifest.json', {})).statusCode).toBe(404)
  })

  test('are the same for all clients, and have no body for HEAD', async () => {
    const { body, headers } = await get('/schemas', {})
    expect(body).toContain('<div id="root">')
    const head = await app.inject({ method: 'HEAD', url: '/schemas' })
    expect([head.statusCode, head.body, head.headers['etag']]).toEqual([200, '', headers['etag']])
  })

  test('cannot be framed by other sites, except for a chart', async () => {
    const { headers } = await get('/stats')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    const { headers: embedded } = await get('/embed?figure=recipients')
    expect(embedded['x-frame-options']).toBeUndefined()
    expect(embedded['content-security-policy']).toMatch(/script-src 'self'.*frame-ancestors \*$/)
  })

  test('may be kept, but not without asking', async () => {
    const { headers } = await get('/schemas')
    expect(headers['cache-control']).toBe('no-cache')
    const again = await get('/schemas', { 'if-none-match': String(headers['etag']) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const absent = await get('/nowhere', { ...browser, 'if-none-match': '*' })
    expect([absent.statusCode, absent.headers['cache-control'], absent.headers['etag']]).toEqual([
      404,
      'no-store',
      undefined,
    ])
  })

  test.each(['/', '/nowhere', '/schema/x'])('%s runs and loads what is from here alone', async (url) => {
    const { headers } = await get(url)
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'self'; script-src 'self'; style-src 'self'; /)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
  })

  test('take no other method', async () => {
    const response = await app.inject({ method: 'POST', url: '/schemas', headers: browser })
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test('stand without the index too, and say so by their status', async () => {
    index.failure = new StoreUnavailableError('gone')
    const response = await get(`/schema/${schemaId}`)
    expect(response.statusCode).toBe(503)
    expect(response.body).toContain('<div id="root">')
    expect((await get('/')).statusCode).toBe(200)
  })

  test('show names of a chain as text', async () => {
    const name = '</title><script>alert(1)</script>\u202Egpj.exe'
    index.schemas = [sampleSchema(1, { definition: { name, description: '"><b>', fields: [] } })]
    const { body } = await get(`/schema/${schemaId}`)
    expect(body).not.toMatch(/<script|<b>|\u202E/)
    expect(body).toContain('alert(1)')
  })
})

describe('data', () => {
  test.each(['/scan/nothing', '/api', '/api/schemas', '/api/schema/x', '/index/x', '/graphql/x'])(
    '%s is a 404 in the envelope, whoever asks',
    async (url) => {
      const response = await get(url)
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ success: false, statusCode: 404 })
    },
  )

  test('at a path that is no page is the JSON answer', async () => {
    const response = await get('/nowhere', { accept: 'application/json' })
    expect(response.json()).toMatchObject({ success: false, statusCode: 404 })
  })

  test('under /scan is not touched', async () => {
    expect((await get('/scan/schemas')).json()).toMatchObject({ success: true })
    expect((await get('/scan/schemas/x')).json()).toMatchObject({ success: false, statusCode: 400 })
  })
})

describe('files', () => {
  test.each([
    ['br', 'br', brotliCompressSync(script)],
    ['gzip', 'gzip', gzipSync(script)],
    ['identity', undefined, Buffer.from(script)],
  ])('come as they were compressed when they were built: %s', async (accepted, coding, content) => {
    const response = await get('/assets/main-abc.js', { 'accept-encoding': accepted })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-encoding']).toBe(coding)
    expect(response.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(response.headers['vary']).toBe('accept-encoding')
    expect(response.rawPayload).toEqual(content)
  })

  test('with a hash in their name are kept for ever, others asked for again', async () => {
    expect((await get('/assets/main-abc.js')).headers['cache-control']).toMatch(/max-age=31536000, immutable/)
    const { headers } = await get('/theme.js')
    expect(headers['cache-control']).toBe('no-cache')
    expect((await get('/theme.js', { 'if-none-match': String(headers['etag']) })).statusCode).toBe(304)
  })

  test.each([
    '/assets/main-abc.js.br',
    '/assets/other.js',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/index.html',
  ])('%s is none of them', async (url) => {
    expect((await get(url, { accept: '*/*' })).statusCode).toBe(404)
  })
})

describe('before there is a build', () => {
  test('a page stands in that loads itself again, and runs nothing', async () => {
    const built = ready()
    state = { kind: 'building' }
    const response = await get('/schema/x')
    state = built
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '2'])
    expect(response.body).toContain('<meta http-equiv="refresh" content="1">')
    expect(response.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test('and none comes, the page says that there is no explorer', async () => {
    const built = ready()
    state = { kind: 'missing' }
    const response = await get('/')
    const data = await get('/scan/schemas')
    state = built
    expect(response.statusCode).toBe(503)
    expect(response.body).not.toContain('http-equiv')
    expect(data.statusCode).toBe(200)
  })
})

test('a server without an explorer has no pages', async () => {
  const bare = createServer({ reader: openTestIndex(index) })
  const response = await bare.inject({ url: '/', headers: browser })
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    404,
    'application/json; charset=utf-8',
  ])
  await bare.close()
})
