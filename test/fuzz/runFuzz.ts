import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as sendRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { FastifyBaseLogger } from 'fastify'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { proveSampleEvent } from '@attestry/server/pipeline/testing/proveSampleEvent.ts'
import { createMetrics } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { createRequestMeter } from '@attestry/server/pipeline/metrics/requestMeter.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { fillIndex } from '@attestry/bench/fillIndex.ts'
import { createSampleIndex } from '@attestry/bench/sampleIndex.ts'
import { fuzzedRequests, type FuzzedRequest, type Surface } from './fuzzedRequests.ts'
import { noFigures } from '@attestry/server/pipeline/testing/noFigures.ts'
import { projections } from '../harness/projections.ts'

export interface FuzzOptions {
  readonly count: number
  readonly seed: number
  /** Records of the index. */
  readonly attestations: number
}

export interface FuzzResult {
  /** Number of requests by status of the answer. */
  readonly statuses: Readonly<Record<number, number>>
  /** Requests that got a 5xx or no answer. */
  readonly failures: readonly string[]
  /** Errors that the server logged. */
  readonly logged: readonly unknown[]
  /** Exports aside. */
  readonly slowest: { readonly elapsedMs: number; readonly request: string }
}

/** One request at a time, so that each latency belongs to one request. */
const concurrency = 1

/** Requests that are generated at once. */
const requestsAtOnce = 50

/** Sends requests of every shape to a server over a filled index. The same seed sends the same requests. */
export async function runFuzz({ count, seed, attestations }: FuzzOptions): Promise<FuzzResult> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-fuzz-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  // Half of the schemas have an index of their fields.
  const includes = ({ localId }: RecordKey) => /[02468ace]$/.test(localId)
  const writer = openSqliteWriter(path, {
    fields: { decodePayload: decodeIndexedPayload, includes },
    projections,
  })
  await fillIndex(writer, createSampleIndex({ attestations, schemas: 60, seed: 1 }))
  await writer.close()
  const reader = openSqliteReader(path, { decodePayload: decodeIndexedPayload, projections })
  const meter = createRequestMeter()
  const logged: unknown[] = []
  const app = createServer({
    reader,
    proveEvent: proveSampleEvent,
    journal: reader,
    decodePayload: decodeAttestedPayload,
    listFieldPaths,
    meter,
    metrics: createMetrics({ reader, meter, ...noFigures }),
    // Overload shedding is off: a busy machine would refuse requests. The tests of the limits cover shedding.
    limits: { load: { lagMaxMs: Infinity } },
    logger: createLogger(logged),
  })
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  try {
    const url = `http://127.0.0.1:${await listenLocally(app)}`
    const requests = makeRequests(await readSurface(url), count, seed)
    return { ...(await sendAll(url, agent, requests)), logged }
  } finally {
    agent.destroy()
    await app.close()
    await reader.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Generates requests on demand: the server shares this thread, and would be blocked while all are generated. */
function* makeRequests(surface: Surface, count: number, seed: number): Generator<FuzzedRequest> {
  const all = fuzzedRequests(surface)
  for (let made = 0, part = 0; made < count; made += requestsAtOnce, part++) {
    // Neighbouring seeds must not share parts.
    const partSeed = Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)
    yield* fc.sample(all, { numRuns: Math.min(requestsAtOnce, count - made), seed: partSeed })
  }
}

async function sendAll(
  url: string,
  agent: Agent,
  requests: Iterator<FuzzedRequest>,
): Promise<Omit<FuzzResult, 'logged'>> {
  const statuses: Record<number, number> = {}
  const failures: string[] = []
  let slowest = { elapsedMs: 0, request: '' }
  const work = async () => {
    for (let next = requests.next(); next.done !== true; next = requests.next()) {
      const request = next.value
      const startMs = performance.now()
      const status = await send(url, agent, request).catch((error: unknown) => String(error))
      const elapsedMs = performance.now() - startMs
      // An export takes as long as its rows.
      const isExport = request.target.includes('/scan/export/')
      if (!isExport && elapsedMs > slowest.elapsedMs) slowest = { elapsedMs, request: describe(request) }
      if (typeof status === 'number') statuses[status] = (statuses[status] ?? 0) + 1
      if (typeof status === 'string' || status >= 500) failures.push(`${status}: ${describe(request)}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { statuses, failures, slowest }
}

/** The status of the answer after its body was read; of an event stream, after its first bytes. */
async function send(
  url: string,
  agent: Agent,
  { method, target, headers, body }: FuzzedRequest,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { hostname, port, method, path: target, agent, headers: { ...headers, ...length } }
    const request = sendRequest(options, (response) => {
      const { statusCode = 0, headers: answered } = response
      response.on('error', reject)
      response.resume()
      if (method !== 'HEAD' && answered['content-type']?.startsWith('text/event-stream')) {
        response.off('error', reject)
        response.on('error', () => undefined)
        request.destroy()
        resolve(statusCode)
      } else response.on('end', () => resolve(statusCode))
    })
    request.on('error', reject)
    request.setTimeout(20_000, () => request.destroy(new Error('no answer in 20 seconds')))
    request.end(body ?? undefined)
  })
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Partial<
          Record<
            'get' | 'post',
            { readonly parameters?: readonly { readonly name: string; readonly in: string }[] }
          >
        >
      >
    >
  >
}

async function readSurface(url: string): Promise<Surface> {
  const get = async (path: string): Promise<unknown> => await (await fetch(url + path)).json()
  const { paths } = (await get('/openapi.json')) as OpenApi
  const introspection = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  })
  const { data } = (await introspection.json()) as { readonly data: IntrospectionQuery }
  const knownValues = await collectValues(get)
  const schemaIds = await readSchemaIds(get)
  return {
    paths: Object.entries(paths).map(([path, { get }]) => ({
      path,
      parameters: (get?.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name),
    })),
    postPaths: Object.entries(paths).flatMap(([path, { post }]) => (post === undefined ? [] : [path])),
    knownValues,
    filters: {
      schemaIds: knownValues.filter((text) => schemaIds.has(text)),
      attestationIds: knownValues.filter((text) => text.startsWith('onchain') && !schemaIds.has(text)),
      addresses: knownValues.filter((text) => /^0x[0-9a-fA-F]{40}$/.test(text)),
      fieldNames: ['subject', 'score', 'passed'],
    },
    schema: buildClientSchema(data),
  }
}

async function readSchemaIds(get: (path: string) => Promise<unknown>): Promise<ReadonlySet<string>> {
  const { data } = (await get('/scan/schemas?size=20')) as {
    readonly data: { readonly rows: readonly { readonly id: string }[] }
  }
  return new Set(data.rows.map(({ id }) => id))
}

/** Texts from answers: ids, addresses, hashes, names. */
async function collectValues(get: (path: string) => Promise<unknown>): Promise<string[]> {
  const answers = await Promise.all(
    [
      '/scan/schemas?size=20',
      '/scan/attestations?size=20',
      '/scan/attestations/onchain_evm_11155111_0x1a',
    ].map(get),
  )
  const texts = [...JSON.stringify(answers).matchAll(/"([^"\\]{1,100})"/g)].map(([, text = '']) => text)
  return [...new Set(texts)]
}

function describe({ method, target, headers, body }: FuzzedRequest): string {
  return JSON.stringify({ method, target, headers, body }).slice(0, 4_000)
}

function createLogger(logged: unknown[]): FastifyBaseLogger {
  const silent = () => undefined
  const logger: FastifyBaseLogger = {
    level: 'error',
    error: (entry: unknown) => void logged.push(entry),
    fatal: (entry: unknown) => void logged.push(entry),
    warn: silent,
    info: silent,
    debug: silent,
    trace: silent,
    silent,
    child: () => logger,
  }
  return logger
}
