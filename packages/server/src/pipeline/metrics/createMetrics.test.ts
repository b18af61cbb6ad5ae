import { afterAll, describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { createServer } from '../../testing/createServer.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { listenLocally, sendRaw } from '../testing/sendRaw.ts'
import { createMetrics } from './createMetrics.ts'
import { createRequestMeter } from './requestMeter.ts'

const index = createSampleIndex()
const reader = openTestIndex(index)
const meter = createRequestMeter()
const listChains = async () => (await reader.listChains()).map((chain) => ({ ...chain, fieldsPending: 7 }))
const metrics = createMetrics({
  reader: { ...reader, listChains },
  meter,
  version: '1.2.3',
  databaseBytes: () => 4096,
  figures: () =>
    Promise.resolve([
      {
        kind: 'counter',
        name: 'attestry_hook_delivered_total',
        help: 'Messages that a hook has delivered.',
        samples: [{ labels: { name: 'payments' }, value: 7 }],
      },
      { kind: 'gauge', name: 'attestry_idle', help: 'A figure without a sample.', samples: [] },
    ]),
  rpcCounts: () => [
    { chainId: 1, host: 'rpc.example', errorCode: null, count: 40 },
    { chainId: 1, host: 'rpc.example', errorCode: 'RPC_UNREACHABLE', count: 2 },
    { chainId: 1, host: 'unasked.example', errorCode: null, count: 0 },
  ],
})
const app = createServer({ reader, meter, metrics })
afterAll(() => app.close())

describe('/metrics', () => {
  test('shows the version of the program and of Node.js', async () => {
    const name = `attestry_build_info{version="1.2.3",node="${process.versions.node}"}`
    expect(await readFigures()).toMatchObject({ [name]: 1 })
  })

  test('has the figures of other packages', async () => {
    const figures = await readFigures()
    expect(figures).toMatchObject({ 'attestry_hook_delivered_total{name="payments"}': 7 })
    expect(figures).not.toHaveProperty('attestry_idle')
  })

  test('counts answers by route and status, those given from memory and those that no route takes too', async () => {
    const port = await listenLocally(app)
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    for (let i = 0; i < 5; i++) await get('/scan/top-schemas')
    await get('/api/scan/top-schemas')
    await get('/scan/schemas?page=x')
    await get('/scan/schemas/onchain_evm_1_0x99')
    await get('/nothing')
    await get('/%zz')
    const figures = await readFigures()
    expect(figures).toMatchObject({
      'attestry_http_requests_total{route="/scan/top-schemas",status="200"}': 6,
      'attestry_http_requests_total{route="/scan/schemas",status="400"}': 1,
      'attestry_http_requests_total{route="/scan/schemas/:id",status="404"}': 1,
      'attestry_http_requests_total{route="none",status="404"}': 1,
      'attestry_http_requests_total{route="none",status="400"}': 1,
      'attestry_http_request_duration_seconds_count{route="/scan/top-schemas"}': 6,
      'attestry_http_request_duration_seconds_bucket{route="/scan/top-schemas",le="+Inf"}': 6,
      attestry_http_requests_in_flight: 1,
    })
  })

  test('counts refusals before any handler: by GraphQL, by the HTTP parser, and preflights', async () => {
    const other = { meter: createRequestMeter() }
    const refusing = createServer({ reader, ...other })
    const port = await listenLocally(refusing)
    const post = async (body: string, type = 'application/json') =>
      (
        await refusing.inject({
          method: 'POST',
          url: '/graphql',
          payload: body,
          headers: { 'content-type': type },
        })
      ).statusCode
    expect([await post('{'), await post(' '.repeat(70_000)), await post('{}', 'text/plain')]).toEqual([
      400, 413, 415,
    ])
    await sendRaw(port, 'NONSENSE\r\n\r\n')
    await sendRaw(port, `GET /${'x'.repeat(30_000)} HTTP/1.1\r\n\r\n`)
    await refusing.inject({ method: 'OPTIONS', url: '/scan/schemas' })
    await refusing.close()
    const statuses = (name: string) =>
      other.meter
        .figures()
        .find(({ route }) => route === name)
        ?.statuses.map(({ statusCode, count }) => [statusCode, count])
    expect(statuses('/graphql')).toEqual([
      [400, 1],
      [413, 1],
      [415, 1],
    ])
    expect(statuses('none')).toEqual([
      [204, 1],
      [400, 1],
      [414, 1],
    ])
  })

  test('shows figures of chains, endpoints, the database and the process', async () => {
    expect(await readFigures()).toMatchObject({
      'attestry_chain_head_block{chain_id="11155111",name="Sepolia"}': 100_000,
      'attestry_chain_indexed_block{chain_id="11155111",name="Sepolia"}': 100_000,
      'attestry_chain_fields_pending{chain_id="11155111",name="Sepolia"}': 7,
      'attestry_chain_head_subscribed{chain_id="11155111",name="Sepolia"}': 1,
      'attestry_records{chain_id="11155111",kind="attestation"}': 25,
      'attestry_rpc_requests_total{chain_id="1",host="rpc.example"}': 42,
      'attestry_rpc_errors_total{chain_id="1",host="rpc.example",code="RPC_UNREACHABLE"}': 2,
      attestry_database_bytes: 4096,
      nodejs_eventloop_lag_seconds: expect.any(Number) as number,
      process_resident_memory_bytes: expect.any(Number) as number,
    })
  })

  test('is well-formed, and its buckets grow', async () => {
    const { headers, body } = await app.inject('/metrics')
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const line of body.split('\n'))
      expect(line).toMatch(/^(?:|# (?:HELP|TYPE) .+|[a-z0-9_]+(?:\{.*\})? \S+)$/)
    const buckets = Object.entries(await readFigures())
      .filter(([name]) =>
        name.startsWith('attestry_http_request_duration_seconds_bucket{route="/scan/top-schemas"'),
      )
      .map(([, value]) => value)
    expect(buckets).toHaveLength(13)
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  })

  test('answers while the index cannot be read', async () => {
    index.failure = new StoreUnavailableError('away')
    expect((await app.inject('/metrics')).statusCode).toBe(200)
    index.failure = null
  })

  test('has no second path, and is not there where no figures are', async () => {
    expect((await app.inject('/api/metrics')).statusCode).toBe(404)
    const other = createServer({ reader })
    expect((await other.inject('/metrics')).statusCode).toBe(404)
    await other.close()
  })
})

async function readFigures(): Promise<Record<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line): [string, number] => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}
