import { deepEqual, equal } from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@attestry/client/createClient.ts'
import { requirePolicy as requireExpress } from '@attestry/client/express.ts'
import { requirePolicy as requireFastify } from '@attestry/client/fastify.ts'
import { requirePolicy as requireHono } from '@attestry/client/hono.ts'
import { serveIndex } from '@attestry/client/testing/serveIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'

/**
 * `npm run test:middleware`: routes of Fastify, Express 5, Express 4 and Hono as they are published, each behind a
 * policy, over real connections. The frameworks are installed only beside this file.
 */

/** A framework's middleware, with the request of the framework left open. */
type Handler = (...parts: never[]) => unknown

interface ExpressApp extends RequestListener {
  (...parts: Parameters<RequestListener>): void
  get(path: string, ...handlers: readonly Handler[]): unknown
}

interface FastifyApp {
  readonly server: Server
  get(path: string, options: object, handler: Handler): unknown
  listen(options: object): Promise<string>
  close(): Promise<void>
}

interface HonoApp {
  readonly fetch: unknown
  get(path: string, ...handlers: readonly Handler[]): unknown
}

const libraries = {
  express: 'express',
  express4: 'express4',
  fastify: 'fastify',
  hono: 'hono',
  honoServer: '@hono/node-server',
}
const { default: express } = (await import(libraries.express)) as { readonly default: () => ExpressApp }
const { default: express4 } = (await import(libraries.express4)) as { readonly default: () => ExpressApp }
const { default: fastify } = (await import(libraries.fastify)) as { readonly default: () => FastifyApp }
const { Hono } = (await import(libraries.hono)) as { readonly Hono: new () => HonoApp }
const { getRequestListener } = (await import(libraries.honoServer)) as {
  readonly getRequestListener: (fetch: unknown) => RequestListener
}

const [attester, member, nobody] = [2, 3, 4].map((number) => sampleAddress(number))
const index = await serveIndex()
const [schema, attestation] = [sampleSchema(1), sampleAttestation(1)]
await index.apply(
  { kind: 'schemaRegistered', position: schema.position, schema },
  { kind: 'attestationMade', position: attestation.position, attestation },
)

const client = createClient({ baseUrl: index.baseUrl, retries: 0 })
const away = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 })
// The blocks of the index are from 2023.
const policy = { holds: { schema: 'onchain_evm_11155111_0x1', attester: [attester] }, maxStaleness: '1000w' }

interface HeaderRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}
const accountOf = ({ headers }: HeaderRequest) => {
  // Stands for the session of a sign-in. One of them fails.
  if (headers['x-account'] === 'broken') throw new Error('the session cannot be read')
  return headers['x-account'] as string | undefined
}
const honoAccountOf = ({ req }: { readonly req: { header(name: string): string | undefined } }) =>
  accountOf({ headers: { 'x-account': req.header('x-account') } })

/** A running server with a route `/` behind the policy, and `/away` behind an index that does not answer. */
interface Running {
  readonly port: number
  close(): Promise<unknown>
}

async function listen(listener: RequestListener): Promise<Running> {
  const server = createHttpServer(listener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

function runExpress(create: () => ExpressApp): Promise<Running> {
  const app = create()
  const inside = (_request: never, response: never) =>
    (response as { readonly send: (text: string) => unknown }).send('inside')
  app.get('/', requireExpress({ client, policy, subject: accountOf }), inside)
  app.get('/away', requireExpress({ client: away, policy, subject: accountOf }), inside)
  return listen(app)
}

async function runFastify(): Promise<Running> {
  const app = fastify()
  app.get('/', { preHandler: requireFastify({ client, policy, subject: accountOf }) }, () => 'inside')
  app.get(
    '/away',
    { preHandler: requireFastify({ client: away, policy, subject: accountOf }) },
    () => 'inside',
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

function runHono(): Promise<Running> {
  const app = new Hono()
  const inside = (context: never) => (context as { readonly text: (text: string) => unknown }).text('inside')
  app.get('/', requireHono({ client, policy, subject: honoAccountOf }), inside)
  app.get('/away', requireHono({ client: away, policy, subject: honoAccountOf }), inside)
  return listen(getRequestListener(app.fetch))
}

try {
  const frameworks: Readonly<Record<string, () => Promise<Running>>> = {
    Fastify: runFastify,
    'Express 5': () => runExpress(express),
    'Express 4': () => runExpress(express4),
    Hono: runHono,
  }
  for (const [name, run] of Object.entries(frameworks)) {
    const { port, close } = await run()
    const ask = async (path: string, account?: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: account === undefined ? {} : { 'x-account': account },
      })
      return { status: response.status, text: await response.text() }
    }
    deepEqual(await ask('/', member), { status: 200, text: 'inside' }, name)
    const denied = await ask('/', nobody)
    equal(denied.status, 403, name)
    const { verdict, reasons } = JSON.parse(denied.text) as { verdict: string; reasons: readonly string[] }
    deepEqual([verdict, reasons.length], ['deny', 1], name)
    equal((await ask('/')).status, 401, name)
    equal((await ask('/', 'somebody')).status, 401, name)
    const shut = await ask('/away', member)
    equal(shut.status, 503, name)
    equal(shut.text.includes('127.0.0.1'), false, name)
    // A sign-in that fails lets nobody in, and stops nothing.
    equal((await ask('/', 'broken')).status, 500, name)
    equal((await ask('/', member)).status, 200, name)
    await close()
    process.stdout.write(`${name}: let through, refused, not known, signed out\n`)
  }
} finally {
  await index.close()
}
