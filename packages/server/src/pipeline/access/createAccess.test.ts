import { serveExports } from '@attestry/archive/export/serveExports.ts'
import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import { serveVerax } from '@attestry/subgraphs/verax/serveVerax.ts'
import { serveErc8004 } from '@attestry/subgraphs/erc8004/serveErc8004.ts'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createServer, type TestServerOptions } from '../../testing/createServer.ts'
import { createMetrics } from '../metrics/createMetrics.ts'
import { createRequestMeter } from '../metrics/requestMeter.ts'
import { createTestJournal } from '../testing/createTestJournal.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { listenLocally, sendRaw } from '../testing/sendRaw.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { hashKey, newKey } from './apiKeys.ts'
import { openAccess, type AccessRules } from '@attestry/host/config/accessRules.ts'
import { partPathsOf } from '@attestry/host/config/configPart.ts'
import { exportWing } from '@attestry/archive/export/exportWing.ts'
import { easWing } from '@attestry/subgraphs/eas/easWing.ts'
import { veraxWing } from '@attestry/subgraphs/verax/veraxWing.ts'
import { erc8004Wing } from '@attestry/subgraphs/erc8004/erc8004Wing.ts'
import { gateWing } from '@attestry/trust/gate/gateWing.ts'
import { offchainWing } from '@attestry/trust/offchain/offchainWing.ts'
import { mcpWing } from '../../interfaces/mcp/mcpWing.ts'
import { createPageTemplate } from '../../interfaces/explorer/pageTemplate.ts'
import type { ExplorerState } from '../../interfaces/explorer/explorerSource.ts'
import { noFigures } from '../testing/noFigures.ts'

const partPaths = partPathsOf([exportWing, gateWing, offchainWing, easWing, veraxWing, erc8004Wing, mcpWing])

const apps: FastifyInstance[] = []
beforeAll(() => openTestIndex(createSampleIndex()).listChains())
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

const key = newKey()
const keys = [{ name: 'gatekeeper', hash: hashKey(key).toUpperCase() }]

const privately = (...parts: readonly string[]): Partial<AccessRules> => ({
  private: Object.fromEntries(parts.map((part) => [part, partPaths[part] ?? []])),
})

function serve(access: Partial<AccessRules>, options: TestServerOptions = {}): FastifyInstance {
  const index = createSampleIndex()
  const app = createServer({
    reader: openTestIndex(index),
    mcp: { verifyProof: () => Promise.resolve(['Valid.']) },
    keys,
    access: { ...openAccess, ...access },
    ...options,
  })
  apps.push(app)
  return app
}

/** A path of each part. */
const paths: Readonly<Record<string, string>> = {
  scan: '/scan/schemas',
  export: '/scan/export/schemas.csv',
  events: '/scan/events',
  offchain: '/scan/offchain/verify',
  index: '/index/schemas',
  graphql: '/graphql',
  eas: '/eas/1/graphql',
  verax: '/verax/59144/graphql',
  erc8004: '/erc8004/1/graphql',
  mcp: '/mcp',
  metrics: '/metrics',
  reference: '/openapi.json',
}

const isPosted = (part: string) => part === 'offchain' || part === 'mcp'

describe('private parts', () => {
  test.each(Object.keys(partPaths))('of the interface need a key: %s', async (part) => {
    const journal = createTestJournal()
    const meter = createRequestMeter()
    const reader = openTestIndex(createSampleIndex())
    const metrics = createMetrics({ reader, meter, ...noFigures })
    const app = serve(privately(part), {
      journal,
      metrics,
      wings: [serveExports(), serveEas(), serveVerax(), serveErc8004()],
    })
    const bases = part === 'metrics' || part === 'mcp' ? [''] : ['', '/api']
    for (const base of bases) {
      const ask = (headers: Record<string, string>) =>
        app.inject({
          method: isPosted(part) ? 'POST' : 'HEAD',
          url: `${base}${paths[part] ?? ''}`,
          headers: { host: 'localhost', ...headers },
        })
      const refused = await ask({})
      expect([part, refused.statusCode]).toEqual([part, 401])
      expect((await ask({ 'x-api-key': 'someone else’s' })).statusCode).toBe(401)
      for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
        expect((await ask(headers)).statusCode).not.toBe(401)
      }
    }
    await app.close()
    await journal.close()
  })

  test('say how to get in, in the envelope', async () => {
    const { statusCode, headers, json } = await serve(privately('scan')).inject('/scan/schemas')
    expect(statusCode).toBe(401)
    expect(headers['www-authenticate']).toMatch(/^Bearer /)
    expect(json()).toMatchObject({
      success: false,
      statusCode: 401,
      message: expect.stringMatching(/x-api-key\.$/),
    })
  })

  test('leave the others open, and preflights', async () => {
    const app = serve(privately('export'))
    expect((await app.inject('/scan/schemas')).statusCode).toBe(200)
    expect((await app.inject({ method: 'OPTIONS', url: '/scan/export/schemas.csv' })).statusCode).toBe(204)
  })

  test('stay private over the network in any spelling, also where an answer is kept', async () => {
    const port = await listenLocally(serve(privately('scan')))
    const ask = async (path: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
    for (const path of [
      '/scan/schemas',
      '/api/scan/schemas',
      '/%73can/schemas',
      '/scan/schemas/',
      '/scan/schemas?a',
    ]) {
      for (let round = 0; round < 2; round++) {
        expect([path, await ask(path, { 'x-api-key': key })]).toEqual([path, 200])
        expect([path, await ask(path, {})]).toEqual([path, 401])
      }
    }
  })

  test('stay private to targets that no browser sends, also where an answer is kept', async () => {
    const port = await listenLocally(serve(privately('scan', 'reference')))
    const ask = async (target: string, header = '') =>
      (await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: h\r\n${header}Connection: close\r\n\r\n`))
        ?.statusCode
    const targets = [
      'http://h/scan/schemas',
      'HTTP://h:80/api/scan/schemas?size=1',
      '/scan/schemas#x',
      '/openapi.json#x',
      '/scan/schemas?#',
      ...[
        '//scan/schemas',
        '/scan//schemas',
        '/SCAN/schemas',
        '/scan;/schemas',
        '/./scan/schemas',
        'scan/schemas',
      ],
    ]
    for (const target of targets) {
      for (let round = 0; round < 3; round++) await ask(target, `x-api-key: ${key}\r\n`)
      expect([target, await ask(target)]).not.toEqual([target, 200])
    }
    expect(await ask('http://h/scan/schemas', `x-api-key: ${key}\r\n`)).toBe(200)
    expect(await ask('http://h/scan/schemas')).toBe(401)
  })

  test('of records leave nothing of them in the heads of pages, and badges to no shared cache', async () => {
    const template = createPageTemplate('<html><head></head><body></body></html>')
    const state: ExplorerState = {
      kind: 'ready',
      build: { template, files: new Map(), parts: new Map() },
    }
    const app = serve(privately('scan'), { explorer: { state: () => state } })
    const urls = [
      ...['0x1', '0xffff'].map((id) => `/schema/onchain_evm_11155111_${id}`),
      '/attestation/onchain_evm_11155111_0x3',
      '/address/0xAB00000000000000000000000000000000000002',
      '/chain/11155111',
      '/chain/5',
    ]
    const ask = async (url: string, headers: Record<string, string>) => {
      const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html', ...headers } })
      return [statusCode, /<title>(.*?)<\/title>/.exec(body)?.[1]]
    }
    for (const url of urls) expect([url, await ask(url, {})]).toEqual([url, [200, 'Attestry']])
    expect(await ask('/chain/11155111', { 'x-api-key': key })).toEqual([
      200,
      'Sepolia · Chain 11155111 · Attestry',
    ])
    const badge = await app.inject({
      url: '/badge/onchain_evm_11155111_0x3.svg',
      headers: { 'x-api-key': key },
    })
    expect(badge.headers['cache-control']).toBe('private, max-age=60')
  })

  test('are open to the tools of a client with a key', async () => {
    const app = serve(privately('mcp', 'scan'))
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_chains', arguments: {} },
    }
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
      payload: message,
    })
    expect(statusCode).toBe(200)
    expect(body).toContain('Sepolia')
  })
})

test('without anonymous requests, only health is answered without a key', async () => {
  const app = serve({ anonymous: false })
  for (const url of ['/scan/schemas', '/graphql', '/openapi.json', '/nothing']) {
    expect([url, (await app.inject(url)).statusCode]).toEqual([url, 401])
  }
  for (const url of ['/healthz', '/readyz', '/api/healthz']) {
    expect([url, (await app.inject(url)).statusCode]).not.toEqual([url, 401])
  }
  expect((await app.inject({ url: '/scan/schemas', headers: { 'x-api-key': key } })).statusCode).toBe(200)
})

describe('pages of other sites', () => {
  const ask = async (app: FastifyInstance, origin: string, host = '127.0.0.1:4000', url = '/scan/schemas') =>
    (await app.inject({ url, headers: { origin, host } })).statusCode

  test('may read everything where the server is open', async () => {
    expect(await ask(serve({}), 'https://app.example')).toBe(200)
  })

  test('are refused by a server that serves only this machine, whatever the header Host says', async () => {
    const app = serve({ origins: 'loopback' })
    expect(await ask(app, 'https://app.example')).toBe(403)
    expect(await ask(app, 'http://rebound.example:4000', 'rebound.example:4000')).toBe(403)
    expect(await ask(app, 'http://localhost.evil.example')).toBe(403)
    expect(await ask(app, 'null')).toBe(403)
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:4000',
      'http://[::1]:80',
      'https://a.localhost',
    ]) {
      expect([origin, await ask(app, origin)]).toEqual([origin, 200])
    }
    expect((await app.inject('/scan/schemas')).statusCode).toBe(200)
  })

  test('are those that are listed, and the server’s own', async () => {
    const app = serve({ origins: ['https://app.example'] })
    expect(await ask(app, 'https://app.example')).toBe(200)
    expect(await ask(app, 'https://index.example', 'index.example')).toBe(200)
    expect(await ask(app, 'https://other.example', 'index.example')).toBe(403)
  })

  test('never call tools unless they are listed', async () => {
    const call = async (app: FastifyInstance, origin: string, host: string) => {
      const headers = { origin, host, accept: 'application/json, text/event-stream' }
      const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      return (await app.inject({ method: 'POST', url: '/mcp', headers, payload })).statusCode
    }
    expect(await call(serve({}), 'https://app.example', 'index.example')).toBe(403)
    expect(await call(serve({}), 'https://index.example', 'index.example')).toBe(200)
    expect(
      await call(serve({ origins: ['https://app.example'] }), 'https://app.example', 'index.example'),
    ).toBe(200)
  })
})
