import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { noBytes } from '@attestry/core/model/hex.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { createServer, type TestServerOptions } from './createServer.ts'
import { openTestIndex, type TestIndex } from '../pipeline/testing/testIndex.ts'
import { createSampleIndex } from '../pipeline/testing/sampleIndex.ts'

export interface GraphqlAnswer {
  readonly statusCode: number
  readonly data: Record<string, unknown> | null | undefined
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly locations?: readonly { readonly line: number; readonly column: number }[]
    readonly extensions: { readonly code: string; readonly limit?: string }
  }[]
}

export interface TestServer {
  readonly app: FastifyInstance
  readonly index: TestIndex
  /** Failures that were logged. */
  readonly logged: unknown[]
  /** Names of the store's calls since the list was emptied. */
  readonly calls: string[]
  post(query: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphqlAnswer>
  get(url: string): Promise<unknown>
}

/** The moment of every request, in Unix seconds: later than everything in the sample index. */
export const testNow = 1_800_000_000

/** A payload that decodes to its input; `0x` decodes to nothing. */
export const testDecodePayload: DecodePayload = ({ data, fields }) =>
  data === noBytes
    ? { kind: 'undecodable', reason: 'it is empty' }
    : { kind: 'decoded', values: fields.map(({ name, type }) => ({ name, type, value: [data, true] })) }

/** A server over the sample index. */
export function createTestServer(
  options: TestServerOptions = {},
  index: TestIndex = createSampleIndex(),
): TestServer {
  const logged: unknown[] = []
  const calls: string[] = []
  const ignore = () => undefined
  const logger: FastifyBaseLogger = {
    level: 'error',
    error: (entry: unknown) => logged.push(entry),
    fatal: ignore,
    warn: ignore,
    info: ignore,
    debug: ignore,
    trace: ignore,
    silent: ignore,
    child: () => logger,
  }
  const app = createServer({
    decodePayload: testDecodePayload,
    now: () => unixMilliseconds(testNow * 1000),
    logger,
    ...options,
    reader: noteCalls<IndexReader>(options.reader ?? openTestIndex(index), calls),
  })
  return {
    app,
    index,
    logged,
    calls,
    async post(query, variables = {}) {
      const response = await app.inject({ method: 'POST', url: '/graphql', payload: { query, variables } })
      const { data, errors = [] } = response.json<Partial<GraphqlAnswer>>()
      return { statusCode: response.statusCode, data, errors }
    },
    get: async (url) => (await app.inject(url)).json<{ data: unknown }>().data,
  }
}

function noteCalls<Store extends object>(store: Store, calls: string[]): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      // The version and the state of the chains are read by the clock, beside what an answer is made of.
      const isBeside = name === 'indexVersion' || name === 'listChains'
      if (typeof value !== 'function' || isBeside) return value
      return (...parameters: unknown[]) => {
        calls.push(String(name))
        return Reflect.apply(value, target, parameters) as unknown
      }
    },
  })
}
