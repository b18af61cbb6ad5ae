import { getIntrospectionQuery } from 'graphql'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestServer, type GraphqlAnswer } from '../../testing/graphqlServer.ts'

const server = createTestServer()
afterAll(() => server.app.close())
const { post } = server

const id = 'onchain_evm_11155111_0x3'
const repeat = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ')
const leafNames =
  `id mode chainType chainId attestationId schemaId attester attestTimestamp recipients transactionHash indexingValue
  fullSchemaId linkedAttestation validUntil data dataLocation revoked revokeReason protocol syncAt`.split(
    /\s+/,
  )
const nest = (depth: number): string => (depth === 1 ? 'id' : `linkedRecord { ${nest(depth - 1)} }`)

function expectLimit({ data, errors }: GraphqlAnswer, limit: string, maximum: number): void {
  expect(data).toBeUndefined()
  expect(errors).toHaveLength(1)
  expect(errors[0]?.extensions).toEqual({ code: 'LIMIT_EXCEEDED', limit, maximum })
  expect(errors[0]?.message).toContain(maximum.toLocaleString('en'))
  expect(server.calls).toEqual([])
}

describe.each<[limit: string, maximum: number, within: string, beyond: string]>([
  [
    'depth',
    12,
    `{ attestation(id: "${id}") { ${nest(11)} } }`,
    `{ attestation(id: "${id}") { ${nest(12)} } }`,
  ],
  [
    'depth by fragments',
    12,
    `{ attestation(id: "${id}") { ...A } } fragment A on Attestation { ...B } fragment B on Attestation { ${nest(11)} }`,
    `{ attestation(id: "${id}") { ...A } } fragment A on Attestation { linkedRecord { ... on Attestation { ...B } } }
      fragment B on Attestation { ${nest(11)} }`,
  ],
  [
    'aliases',
    30,
    `{ attestation(id: "${id}") { ${repeat(30, (n) => `a${n}: id`)} } }`,
    `{ attestation(id: "${id}") { ${repeat(31, (n) => `a${n}: id`)} } }`,
  ],
  [
    'aliases by fragments',
    30,
    `{ attestation(id: "${id}") { ...A linkedRecord { ...A } } } fragment A on Attestation { ${repeat(15, (n) => `a${n}: id`)} }`,
    `{ attestation(id: "${id}") { ...A linkedRecord { ...A } } } fragment A on Attestation { ${repeat(16, (n) => `a${n}: id`)} }`,
  ],
  [
    'rootFields',
    20,
    `{ ${repeat(20, (n) => `a${n}: __typename`)} }`,
    `{ ${repeat(19, (n) => `a${n}: __typename`)} ...A } fragment A on Query { ... { stats { schemaCount } __typename } }`,
  ],
  [
    'cost',
    2000,
    '{ pagedAttestations(size: 100) { attestations { referencedBy(first: 19) { nodes { id } } } } }',
    '{ pagedAttestations(size: 100) { attestations { referencedBy(first: 20) { nodes { id } } } } }',
  ],
  [
    'cost by fragments and defaults',
    2000,
    '{ a: pagedSchemas(size: 90) { ...A } b: pagedSchemas(size: 90) { ...A } } fragment A on PagedSchemas { schemas { topAttesters { count } } }',
    '{ a: pagedSchemas(size: 91) { ...A } b: pagedSchemas(size: 91) { ...A } } fragment A on PagedSchemas { schemas { topAttesters { count } } }',
  ],
  [
    'cost whatever the directives',
    2000,
    'query ($no: Boolean = false) { pagedSchemas(size: 100) { schemas { attestations(last: 19) @include(if: $no) { nodes { id } } } } }',
    'query ($no: Boolean = false) { pagedSchemas(size: 100) { schemas { attestations(last: 20) @include(if: $no) { nodes { id } } } } }',
  ],
  [
    'cost of lists without rows',
    2000,
    '{ pagedSchemas(size: 100) { schemas { a: attestations(first: 0) { totalCount } activity(days: 18) { date } } } }',
    '{ pagedSchemas(size: 100) { schemas { a: attestations(first: 0) { totalCount } activity(days: 19) { date } } } }',
  ],
  [
    'fields',
    2000,
    `{ attestation(id: "${id}") { ...A0 } } ${doubling(7)}`,
    `{ attestation(id: "${id}") { ...A0 } } ${doubling(11)}`,
  ],
])('%s', (name, maximum, within, beyond) => {
  test('within passes', async () => {
    expect((await post(within)).errors).toEqual([])
  })

  test('beyond is refused before anything is read, and the error names it', async () => {
    server.calls.length = 0
    expectLimit(await post(beyond), name.split(' ')[0] ?? '', maximum)
  })
})

/** Fragments that double their spreads at each level. */
function doubling(levels: number): string {
  const inner = repeat(levels, (n) => `fragment A${n} on Attestation { ...A${n + 1} ...A${n + 1} }`)
  return `${inner} fragment A${levels} on Attestation { id data }`
}

test('sizes in variables count', async () => {
  const query = `query ($size: Int = 100, $first: Int!) { pagedSchemas(size: $size) { schemas { attestations(first: $first) { nodes { id } } } } }`
  expect((await post(query, { first: 19 })).errors).toEqual([])
  expect((await post(query, { first: 100, size: 10 })).errors).toEqual([])
  server.calls.length = 0
  expectLimit(await post(query, { first: 20 }), 'cost', 2000)
  expectLimit(await post(query, { first: 20, size: 100 }), 'cost', 2000)
})

test('sizes in documents that differ in nothing else count', async () => {
  const query = (size: number) =>
    `{ pagedSchemas(size: 100) { schemas { attestations(first: ${size}) { nodes { id } } } } }`
  for (const size of [1, 19, 18]) expect((await post(query(size))).errors).toEqual([])
  server.calls.length = 0
  expectLimit(await post(query(20)), 'cost', 2000)
})

describe('tokens and bytes', () => {
  test('2,000 tokens pass, one more does not', async () => {
    const document = (leaves: number) =>
      `{ attestation(id: "${id}") { ${repeat(leaves, (n) => leafNames[n % leafNames.length] ?? '')} } }`
    expect((await post(document(1990))).errors).toEqual([])
    server.calls.length = 0
    expectLimit(await post(document(1991)), 'tokens', 2000)
  })

  test('a body of 64 KiB passes, one byte more is a 413', async () => {
    const send = (length: number) => {
      const body = JSON.stringify({ query: '{ __typename }', extensions: { x: '' } })
      const payload = body.replace('"x":""', `"x":"${'x'.repeat(length - body.length)}"`)
      const headers = { 'content-type': 'application/json' }
      return server.app.inject({ method: 'POST', url: '/graphql', payload, headers })
    }
    expect((await send(65_536)).json()).toEqual({ data: { __typename: 'Query' } })
    const refused = await send(65_537)
    expect(refused.statusCode).toBe(413)
    expect(refused.json()).toMatchObject({
      errors: [{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'bodyBytes', maximum: 65_536 } }],
    })
  })

  test('limits can be set', async () => {
    const small = createTestServer({ limits: { graphql: { depth: 2, tokens: 20 } } })
    expect((await small.post('{ stats { schemaCount } }')).errors).toEqual([])
    expect((await small.post('{ stats { activity { date } } }')).errors).toMatchObject([
      { extensions: { limit: 'depth', maximum: 2 } },
    ])
    expect((await small.post(`{ ${repeat(30, () => '__typename')} }`)).errors).toMatchObject([
      { extensions: { limit: 'tokens' } },
    ])
    await small.app.close()
  })
})

describe('introspection', () => {
  test.each([
    {},
    {
      schemaDescription: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
    },
  ])('passes as tools ask for it: %j', async (options) => {
    const { data, errors } = await post(getIntrospectionQuery(options))
    expect(errors).toEqual([])
    expect(data).toMatchObject({ __schema: { queryType: { name: 'Query' } } })
  })

  test('does not nest without end', async () => {
    const { errors } = await post(
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
    )
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }])
  })
})

describe('documents made to cost much are refused soon', () => {
  const cyclic = 'fragment A on Attestation { ...B } fragment B on Attestation { linkedRecord { ...A } }'
  test.each([
    ['a fragment inside itself', `{ attestation(id: "x") { ...A } } ${cyclic}`],
    ['fragments that double forty times', `{ attestation(id: "x") { ...A0 } } ${doubling(40)}`],
    [
      'many equal fields with arguments',
      `{ attestation(id: "x") { ${repeat(140, () => 'referencedBy(first: 1) { totalCount }')} } }`,
    ],
    ['many unknown fields', `{ ${repeat(19, (n) => `unknown${n} { ${repeat(40, (m) => `field${m}`)} }`)} }`],
    ['deep lists', `{ attestation(id: ${'['.repeat(900)}${']'.repeat(900)}) { id } }`],
    [
      'many spreads',
      `{ attestation(id: "x") { ${repeat(600, () => '...A')} } } fragment A on Attestation { id }`,
    ],
    ['many variables', `query (${repeat(400, (n) => `$a${n}: Int`)}) { __typename }`],
    [
      'wide introspection',
      `{ ${repeat(19, (n) => `a${n}: __schema { types { fields { args { name } type { fields { args { type { name } } } } } } }`)} }`,
    ],
  ])('%s', async (_name, query) => {
    const started = performance.now()
    const { statusCode, errors } = await post(query)
    expect(statusCode).toBe(200)
    expect(errors.map(({ extensions }) => extensions.code)).not.toContain('INTERNAL_SERVER_ERROR')
    // Not an assertion about speed: unbounded work takes minutes.
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
