import fc from 'fast-check'
import type { GraphQLSchema } from 'graphql'
import { fuzzedDocuments } from './fuzzedDocuments.ts'
import { fuzzedFilters, type FilterMaterial } from './fuzzedFilters.ts'

/** One request of a misbehaving client. */
export interface FuzzedRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The material of requests: paths and parameters of the OpenAPI document, existing ids, and the GraphQL schema. */
export interface Surface {
  readonly paths: readonly { readonly path: string; readonly parameters: readonly string[] }[]
  /** The paths that take a body of JSON. */
  readonly postPaths: readonly string[]
  readonly knownValues: readonly string[]
  readonly filters: FilterMaterial
  readonly schema: GraphQLSchema
}

export function fuzzedRequests({
  paths,
  postPaths,
  knownValues,
  filters,
  schema,
}: Surface): fc.Arbitrary<FuzzedRequest> {
  const value = valuesOf(knownValues)
  const names = [...new Set(paths.flatMap(({ parameters }) => parameters))]
  const encoded = fc.oneof(
    { weight: 8, arbitrary: value.map((text) => encodeURIComponent(text.toWellFormed())) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%00', '%ff', '%ED%A0%80', '+', '%2e%2e%2f') },
    { weight: 1, arbitrary: fc.stringMatching(/^[!$-;=?-Z\]_a-z~]{0,20}$/) },
  )
  const rest = fc.constantFrom(...paths).chain(({ path, parameters }) =>
    fc
      .tuple(
        fc.constantFrom('', '', '/api'),
        fc.tuple(
          ...path.split('/').map((segment) => (segment.startsWith('{') ? encoded : fc.constant(segment))),
        ),
        fc.array(fc.tuple(nameOf(parameters, names), encoded), { maxLength: 5 }),
        fc.constantFrom('', '', '', '/'),
      )
      .map(([base, segments, pairs, end]) => {
        const query = pairs.map(([name, text]) => `${name}=${text}`).join('&')
        return `${base}${segments.join('/')}${end}${query === '' ? '' : `?${query}`}`
      }),
  )
  const read = fc.record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant('GET') },
      { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'DELETE') },
    ),
    target: fc.oneof(
      { weight: 12, arbitrary: rest },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '/',
          '/docs',
          '/openapi.json',
          '/metrics',
          '/graphql',
          '/docs/swagger-ui.css',
          '/llms.txt',
          '/guide/gate',
          '/guide?q=gate',
          '/.well-known/ai-catalog.json',
          '/.well-known/agent-skills/index.json',
        ),
      },
      { weight: 1, arbitrary: fc.stringMatching(/^[!$-;=?-Z\]_a-z~/]{0,60}$/).map((text) => `/${text}`) },
    ),
    headers: oddHeaders(),
    body: fc.constant(null),
  })
  const filtered = fuzzedFilters(filters, value).map((target): FuzzedRequest => ({
    method: 'GET',
    target,
    headers: {},
    body: null,
  }))
  return fc.oneof(
    { weight: 6, arbitrary: read },
    { weight: 4, arbitrary: filtered },
    { weight: 3, arbitrary: graphqlRequests(schema, value) },
    { weight: 2, arbitrary: postedRequests(postPaths, filters, value) },
  )
}

/** Requests to the paths that take lists: mostly of their members, with values of every kind. */
function postedRequests(
  postPaths: readonly string[],
  { schemaIds, attestationIds, addresses }: FilterMaterial,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<FuzzedRequest> {
  const list = fc.oneof(
    { weight: 3, arbitrary: fc.array(fc.constantFrom(...attestationIds), { maxLength: 300 }) },
    { weight: 3, arbitrary: fc.array(fc.constantFrom(...addresses), { maxLength: 300 }) },
    { weight: 3, arbitrary: fc.array(value, { maxLength: 30 }) },
    { weight: 1, arbitrary: fc.constant(Array.from({ length: 10_001 }, () => '0x1')) },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  const single = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...schemaIds, ...addresses) },
    { weight: 2, arbitrary: value },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  const validAt = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(1_700_000_000, 2 ** 53))
  const holders = { addresses: list, schemaId: single, attester: single, validAt }
  const members = fc.oneof(
    fc.record({ ids: list }),
    fc.record(holders, { requiredKeys: ['addresses', 'schemaId'] }),
    fc.record({ ids: list, ...holders }, { requiredKeys: [] }),
  )
  return fc.record({
    method: fc.constant('POST'),
    target: fc
      .tuple(fc.constantFrom('', '/api'), fc.constantFrom(...postPaths))
      .map((parts) => parts.join('')),
    headers: fc
      .tuple(
        oddHeaders(),
        fc.constantFrom('application/json', 'application/json', 'application/json; x', 'text/plain'),
      )
      .map(([headers, type]) => ({ ...headers, 'content-type': type })),
    body: fc.oneof(
      { weight: 8, arbitrary: members.map((sent) => JSON.stringify(sent)) },
      { weight: 1, arbitrary: fc.json() },
      { weight: 1, arbitrary: fc.string({ maxLength: 50 }) },
    ),
  })
}

function graphqlRequests(schema: GraphQLSchema, value: fc.Arbitrary<string>): fc.Arbitrary<FuzzedRequest> {
  const document = fuzzedDocuments(schema, value)
  const variables = fc.oneof(
    fc.constant(undefined),
    fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue()),
    fc.jsonValue(),
  )
  const posted = fc.record({
    method: fc.constant('POST'),
    target: fc.constantFrom('/graphql', '/api/graphql', '/graphql/'),
    headers: fc
      .tuple(
        oddHeaders(),
        fc.constantFrom(
          ...Array.from({ length: 8 }, () => 'application/json'),
          'application/json; charset=utf-8',
          'text/plain',
          'x',
        ),
      )
      .map(([headers, type]) => ({ ...headers, 'content-type': type })),
    body: fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .tuple(document, variables)
          .map(([query, given]) => JSON.stringify({ query, variables: given })),
      },
      { weight: 1, arbitrary: fc.json() },
      { weight: 1, arbitrary: fc.string({ maxLength: 50 }) },
    ),
  })
  const asked = document.map((query): FuzzedRequest => {
    const target = `/graphql?query=${encodeURIComponent(query.toWellFormed())
      .slice(0, 6_000)
      .replace(/%[^%]?$/, '')}`
    return { method: 'GET', target, headers: { accept: 'application/json' }, body: null }
  })
  return fc.oneof({ weight: 4, arbitrary: posted }, { weight: 1, arbitrary: asked })
}

function valuesOf(knownValues: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...knownValues) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...[
          '',
          '0',
          '1',
          '2',
          '10',
          '100',
          '101',
          '007',
          '1e3',
          '-1',
          '2147483647',
          '2147483648',
          '9'.repeat(40),
        ],
        ...[
          'true',
          'false',
          'detail',
          'decoded',
          'created',
          'schema',
          'sign',
          'ONCHAIN',
          'onchain',
          'undefined',
          'null',
          '*',
        ],
        ...[
          '1700000000',
          '0x1',
          '0xabcdef',
          'SPS_x',
          'offchain_evm_1_x',
          'a"b',
          'AND',
          '%',
          '_',
          "'; --",
          '愛',
          '‮',
        ],
        'x'.repeat(256),
        'x'.repeat(3_000),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...knownValues), { maxLength: 120 }).map((ids) => ids.join(',')),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  )
}

/** Names that a request completes by brackets. */
const bracketed = [
  'field[score]',
  'field[score][gte]',
  'field[score][in]',
  'field%5Bx.y%5D',
  'field[x',
  'field[]',
]

function nameOf(own: readonly string[], all: readonly string[]): fc.Arbitrary<string> {
  const choices = own.length === 0 ? all : own
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...choices) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...all, ...bracketed, 'network', '__proto__', 'constructor', ''),
    },
  )
}

function oddHeaders(): fc.Arbitrary<Record<string, string>> {
  const header = fc.constantFrom<[string, string]>(
    ['accept-encoding', 'br'],
    ['accept-encoding', 'gzip;q=0.5, *;q=0'],
    ['if-none-match', '*'],
    ['if-none-match', 'W/"x", "y"'],
    ['accept', 'text/html'],
    ['accept', 'application/graphql-response+json'],
    ['last-event-id', '1-1'],
    ['last-event-id', 'x'.repeat(500)],
    ['x-forwarded-for', '1.2.3.4, x'],
    ['range', 'bytes=0-1'],
    ['origin', 'null'],
    ['x-api-key', 'x'],
  )
  return fc.array(header, { maxLength: 3 }).map((headers) => Object.fromEntries(headers))
}
