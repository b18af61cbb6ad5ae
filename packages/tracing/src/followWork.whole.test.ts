import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { writeContent } from '@attestry/server/pipeline/testing/testIndex.ts'
import { startTracing } from './startTracing.ts'

const exporter = new InMemorySpanExporter()
const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

beforeAll(async () => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  await startTracing()
})
beforeEach(() => exporter.reset())
afterAll(() => {
  trace.disable()
  propagation.disable()
})

const spansNamed = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name)

test('a commit, a request and the statements of each are spans, within the trace of the client', async () => {
  const store = await createSqliteTestStore()
  const writer = store.openWriter()
  await writeContent(writer, createSampleIndex())
  await writer.close()
  const [commit] = spansNamed('commit')
  expect(commit?.attributes).toMatchObject({ 'attestry.block.from': 0 })
  const ofCommit = exporter
    .getFinishedSpans()
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === commit?.spanContext().spanId)
  expect(ofCommit.map(({ name }) => name)).toContain('INSERT')

  exporter.reset()
  const reader = store.openReader()
  const app = createServer({ reader })
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    // The second answer is kept: without a statement, but with a span.
    for (const status of [200, 200]) {
      const response = await fetch(`${url}/scan/schemas?size=5&secret=1`, { headers: { traceparent } })
      expect(response.status).toBe(status)
      await response.text()
    }
    expect((await fetch(`${url}/scan/schemas?size=x`)).status).toBe(400)
    await expect.poll(() => spansNamed('GET /scan/schemas').length).toBe(3)
  } finally {
    await app.close()
    await reader.close()
    await store.remove()
  }
  const [first, kept, refused] = spansNamed('GET /scan/schemas')
  expect(first?.kind).toBe(SpanKind.SERVER)
  expect(first?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.path': '/scan/schemas',
    'http.route': '/scan/schemas',
    'http.response.status_code': 200,
  })
  expect([first, kept].map((span) => span?.spanContext().traceId)).toEqual([traceId, traceId])
  expect(refused?.attributes['http.response.status_code']).toBe(400)
  expect(refused?.spanContext().traceId).not.toBe(traceId)
  const statements = exporter.getFinishedSpans().filter(({ name }) => name === 'SELECT')
  const ofFirst = statements.filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === first?.spanContext().spanId,
  )
  expect(ofFirst.length).toBeGreaterThan(0)
  expect(ofFirst[0]?.attributes).toMatchObject({ 'db.system.name': 'sqlite' })
})

test('a request to an endpoint is a span and carries its trace; a failure is marked', async () => {
  const sent: (string | undefined)[] = []
  const endpoint = createHttpServer((request, response) => {
    sent.push(request.headers.traceparent?.toString())
    response.writeHead(500).end('down')
  }).listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  const { port } = endpoint.address() as AddressInfo
  const client = createChainClient({
    chainId: 7,
    endpoints: [`http://user:password@127.0.0.1:${port}/key`],
    attemptsMax: 1,
  })
  try {
    await expect(client.fetchHead()).rejects.toThrow('500')
  } finally {
    await client.close()
    endpoint.close()
  }
  const calls = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CLIENT)
  const [call] = calls
  expect(call?.attributes).toMatchObject({ 'rpc.system': 'jsonrpc', 'server.address': `127.0.0.1:${port}` })
  expect(call?.status.code).toBe(SpanStatusCode.UNSET)
  expect(sent[0]).toContain(call?.spanContext().traceId)
  expect(JSON.stringify(calls.map(({ attributes }) => attributes))).not.toMatch(/password|key/)
})
