import fc from 'fast-check'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, parse, validate } from 'graphql'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { StoreTooMuchWorkError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { listenLocally } from '../../pipeline/testing/sendRaw.ts'
import { createGraphqlSchema } from './createGraphqlSchema.ts'
import { exampleQueries } from './graphiqlPage.ts'
import { documentValues } from './testing/documentValues.ts'
import { createTestServer } from '../../testing/graphqlServer.ts'
import { randomDocument } from './testing/randomDocument.ts'

const server = createTestServer()
const { app, post, index, logged } = server
let port = 0
beforeAll(async () => {
  port = await listenLocally(app)
})
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
  logged.length = 0
})

const json = { 'content-type': 'application/json' }
const newType = { ...json, accept: 'application/graphql-response+json' }
const send = (payload: string | object, headers: Record<string, string> = json) =>
  app.inject({ method: 'POST', url: '/graphql', payload, headers })
const ask = (search: string, headers: Record<string, string> = {}) =>
  app.inject({ url: `/graphql${search}`, headers })

describe('the audits of GraphQL over HTTP', () => {
  // Audits are made before the port is known; their URL is asked for when they run.
  const audits = serverAudits({ url: () => `http://127.0.0.1:${port}/graphql` })
  test.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s %s', async (_id, _name, run) => {
    expect((await run()).status).toBe('ok')
  })
  test('are many', () => expect(audits.length).toBeGreaterThan(60))
})

describe('requests', () => {
  test.each<[string, string | object, Record<string, string>, number]>([
    ['a list', [{ query: '{ __typename }' }], json, 400],
    ['a text', '"query"', json, 400],
    ['null', 'null', json, 400],
    ['no JSON', '{', json, 400],
    ['nothing', '', json, 400],
    ['no query', {}, json, 400],
    ['variables that are a list', { query: '{ __typename }', variables: [] }, json, 400],
    ['another type', 'query=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a document as it is', '{ __typename }', { 'content-type': 'application/graphql' }, 415],
    ['an answer nobody makes', { query: '{ __typename }' }, { ...json, accept: 'image/png' }, 406],
  ])('%s: refused in the shape of GraphQL', async (_name, payload, headers, statusCode) => {
    const response = await send(payload, headers)
    expect(response.statusCode).toBe(statusCode)
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.json()).toEqual({
      errors: [{ message: expect.stringMatching(/^.{20,200}\.$/), extensions: { code: 'BAD_REQUEST' } }],
    })
    expect(logged).toEqual([])
  })

  test.each([
    ['{', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['mutation { x }', 'BAD_REQUEST'],
    ['mutation { __typename }', 'BAD_REQUEST'],
    ['subscription { changes { id } }', 'BAD_REQUEST'],
    ['subscription { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query A { __typename } query B { __typename }', 'BAD_REQUEST'],
    ['fragment A on Query { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query ($id: String!) { schema(id: $id) { id } }', 'BAD_USER_INPUT'],
    ['query ($page: Int = 99999999999) { pagedSchemas(page: $page) { total } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('%s is refused as %s, with the status that the media type asks for', async (query, code) => {
    for (const [headers, statusCode] of [
      [json, 200],
      [newType, 400],
    ] as const) {
      const response = await send({ query }, headers)
      expect(response.statusCode).toBe(statusCode)
      expect(response.json()).toMatchObject({ errors: [{ extensions: { code } }] })
      expect(response.json()).not.toHaveProperty('data')
    }
  })

  test('name the operation of several', async () => {
    const query = 'query A { a: __typename } query B { b: __typename }'
    expect((await send({ query, operationName: 'B' })).json()).toEqual({ data: { b: 'Query' } })
    expect((await send({ query, operationName: 'A' })).json()).toEqual({ data: { a: 'Query' } })
    expect((await send({ query, operationName: 'C' })).json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    })
  })

  test('may come in the URL', async () => {
    const query = 'query Q($id: String!) { attestation(id: $id) { attestationId } }'
    const variables = JSON.stringify({ id: 'onchain_evm_11155111_0x7' })
    const response = await ask(`?${String(new URLSearchParams({ query, variables, operationName: 'Q' }))}`)
    expect(response.json()).toEqual({ data: { attestation: { attestationId: '0x7' } } })
    expect(response.headers['cache-control']).toBe('no-cache')
    expect(response.headers.vary).toBe('accept, accept-encoding')
    for (const search of [
      '',
      '?query=%7B__typename%7D&query=x',
      '?query=%7B__typename%7D&variables=%7B',
      '?query=%7B__typename%7D&variables=1',
    ]) {
      expect((await ask(search)).statusCode).toBe(400)
    }
    const head = await app.inject({ method: 'HEAD', url: '/graphql?query=%7B__typename%7D' })
    expect([head.statusCode, head.body]).toEqual([200, ''])
  })

  test.each<[string, Record<string, string>]>([
    ['application/json', json],
    ['the newer type', newType],
  ])(
    'that hold the hash of an unknown document and no text are answered as Apollo does: %s',
    async (_name, headers) => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }
      const search = `?${String(new URLSearchParams({ extensions: JSON.stringify(extensions) }))}`
      for (const response of [
        await send({ extensions }, headers),
        await send({ operationName: 'A', variables: {}, query: null, extensions }, headers),
        await send({ query: '', extensions }, headers),
        await ask(search, headers),
        await ask(`${search}&query=`, headers),
      ]) {
        expect(response.statusCode).toBe(200)
        expect(response.headers['cache-control']).toBe('no-store')
        const code = 'PERSISTED_QUERY_NOT_FOUND'
        expect(response.json()).toEqual({
          errors: [{ message: 'PersistedQueryNotFound', extensions: { code } }],
        })
      }
      expect(logged).toEqual([])
    },
  )

  test('name a document by its hash once its text has come with it', async () => {
    const query = 'query ($id: String!) { attestation(id: $id) { id } }'
    const sha256Hash = createHash('sha256').update(query).digest('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    const variables = { id: 'onchain_evm_11155111_0x1' }
    const search = `?${String(new URLSearchParams({ extensions: JSON.stringify(extensions), variables: JSON.stringify(variables) }))}`
    expect((await ask(search)).json()).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] })
    const whole = await send({ query, variables, extensions })
    expect(whole.json()).toMatchObject({ data: { attestation: { id: variables.id } } })
    const upper = { persistedQuery: { version: 1, sha256Hash: sha256Hash.toUpperCase() } }
    for (const response of [
      await send({ variables, extensions }),
      await send({ query: null, variables, extensions: upper }),
      await ask(search),
    ]) {
      expect(response.statusCode).toBe(200)
      expect(response.body).toBe(whole.body)
    }
    const other = await send({ variables: { id: 'onchain_evm_11155111_0x2' }, extensions })
    expect(other.json()).toMatchObject({ data: { attestation: { id: 'onchain_evm_11155111_0x2' } } })
  })

  test.each<[unknown, string]>([
    [{ version: 1, sha256Hash: 'a'.repeat(64) }, 'is not the SHA-256 of query.'],
    [{ version: 1, sha256Hash: 'abc' }, 'must be the SHA-256 of query, as 64 hexadecimal digits.'],
    [{ version: 1, sha256Hash: 7 }, 'must be the SHA-256 of query, as 64 hexadecimal digits.'],
    [{ version: 2, sha256Hash: 'a'.repeat(64) }, 'version must be 1.'],
  ])('with a wrong hash of their text are refused: %j', async (persistedQuery, message) => {
    const response = await send({ query: '{ __typename }', extensions: { persistedQuery } })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      errors: [{ message: expect.stringContaining(message) as string }],
    })
    const unsent = await send({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } })
    expect(unsent.json()).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] })
  })

  test.each(['mutation { x }', 'query A { __typename } mutation B { x }'])(
    'are refused by method where they ask for a mutation by GET: %s',
    async (query) => {
      const response = await ask(
        `?operationName=${query.includes('B') ? 'B' : ''}&query=${encodeURIComponent(query)}`,
      )
      expect(response.statusCode).toBe(405)
      expect(response.headers['allow']).toBe('POST')
      expect(response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
    },
  )

  test('by other methods get 405 with the methods that exist', async () => {
    const response = await app.inject({ method: 'PUT', url: '/graphql' })
    expect(response.statusCode).toBe(405)
    expect(response.headers['allow']).toBe('GET, HEAD, POST, OPTIONS')
    const preflight = { origin: 'https://x.example', 'access-control-request-method': 'POST' }
    const allowed = await app.inject({ method: 'OPTIONS', url: '/graphql', headers: preflight })
    expect(allowed.statusCode).toBe(204)
    expect(allowed.headers['access-control-allow-methods']).toContain('POST')
  })

  test('are answered compressed where that is liked', async () => {
    const payload = { query: '{ pagedAttestations(size: 100) { attestations { id data } } }' }
    const plain = await send(payload)
    for (let i = 0; i < 3; i++) {
      const response = await send(payload, { ...json, 'accept-encoding': 'br' })
      expect(response.headers['content-encoding']).toBe('br')
      expect(brotliDecompressSync(response.rawPayload).toString()).toBe(plain.body)
    }
  })
})

describe('literals of a document', () => {
  test.each(['', 'query ($size: Int = 2) '])(
    'mean what they say, whichever document of that shape came first: %j',
    async (head) => {
      const size = head === '' ? '' : ', size: $size'
      for (const n of [1, 2, 10, 3]) {
        const { data, errors } = await post(
          `${head}{ pagedAttestations(page: ${n}${size}) { page attestations { id } } attestation(id: "onchain_evm_11155111_0x${n.toString(16)}") { attestationId } }`,
        )
        expect(errors).toEqual([])
        expect(data).toMatchObject({
          pagedAttestations: { page: n },
          attestation: { attestationId: `0x${n.toString(16)}` },
        })
      }
    },
  )

  test('may differ under one name, and are a conflict where they do', async () => {
    const query = (a: number, b: number) =>
      `{ pagedSchemas(page: ${a}) { page } pagedSchemas(page: ${b}) { total } }`
    for (const page of [1, 2]) {
      expect((await post(query(page, page))).data).toEqual({ pagedSchemas: { page, total: 12 } })
      expect((await post(query(page, 7))).errors).toMatchObject([
        { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      ])
    }
  })

  test('never become code', async () => {
    // A marker by which a compiler of queries tells dates in the code that it makes.
    const marker = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d'
    const { errors } = await post(`{ schema(id: "${marker}globalThis.taken=1") { id } }`)
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
    expect(globalThis).not.toHaveProperty('taken')
  })

  test('that are wrong are reported with their place in the document', async () => {
    for (const query of ['{ pagedSchemas(page: 1) { total } }', '{   pagedSchemas(page: 1) { total } }'])
      await post(query)
    const { errors } = await post('{   pagedSchemas(page: 1, size: 500) { total } }')
    expect(errors).toMatchObject([{ locations: [{ line: 1, column: 5 }] }])
    const again = await post('{ pagedSchemas(page: 1, size: 500) { total } }')
    expect(again.errors).toMatchObject([{ locations: [{ line: 1, column: 3 }] }])
  })
})

describe('answers are kept', () => {
  test('as long as the index stands still, and no longer', async () => {
    const payload = { query: '{ pagedAttestations { total } }' }
    for (let i = 0; i < 5; i++) await send(payload)
    const reads = index.readCount
    expect((await send(payload)).json()).toEqual({ data: { pagedAttestations: { total: 25 } } })
    expect((await send(payload)).json()).toEqual({ data: { pagedAttestations: { total: 25 } } })
    expect(index.readCount).toBe(reads)
    expect((await send(payload, newType)).headers['content-type']).toContain('graphql-response')
    index.attestations = index.attestations.slice(1)
    index.version++
    expect((await send(payload)).json()).toEqual({ data: { pagedAttestations: { total: 24 } } })
  })

  test('never where the index moved while they were read', async () => {
    const payload = { query: '{ pagedAttestations { total page } }' }
    for (let i = 1; i <= 4; i++) {
      const versionBefore = index.version
      index.onRead = () => {
        index.version = versionBefore + 1
      }
      index.attestations = index.attestations.slice(1)
      expect((await send(payload)).json()).toMatchObject({ data: { pagedAttestations: { total: 25 - i } } })
      // Only the moving in between can tell.
      index.version = versionBefore
    }
  })

  test.each(['{ attestations(filter: { expired: true }) { totalCount } }', '{ schema(id: "x") { id } }'])(
    'but not where they depend on the clock, or have errors: %s',
    async (query) => {
      for (let i = 0; i < 4; i++) await send({ query })
      server.calls.length = 0
      const { body } = await send({ query })
      expect(body.includes('errors') ? 1 : server.calls.length).toBe(1)
    },
  )
})

describe('failures', () => {
  const secret = 'postgres://user:secret@host'

  test('of the store are a 503', async () => {
    index.failure = new StoreUnavailableError(secret)
    const response = await send({ query: '{ pagedSchemas { total } }' })
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toMatch(/^[0-9]+$/)
    expect(response.json()).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
    expect(response.body).not.toContain('secret')
    expect(logged).toHaveLength(1)
  })

  test.each([
    [new StoreUnavailableError(secret), 'SERVICE_UNAVAILABLE', 1],
    [new TypeError(secret), 'INTERNAL_SERVER_ERROR', 1],
    [new StoreTooMuchWorkError(secret), 'BAD_USER_INPUT', 0],
  ])('of one field leave the others: %s', async (failure, code, logs) => {
    const reader = openTestIndex(createSampleIndex())
    const failing = createTestServer({
      reader: { ...reader, countAttestations: () => Promise.reject(failure) },
    })
    const { statusCode, data, errors } = await failing.post(
      '{ attestations(first: 1) { totalCount nodes { attestationId } } }',
    )
    expect(statusCode).toBe(200)
    expect(data).toEqual({ attestations: { totalCount: null, nodes: [{ attestationId: '0x19' }] } })
    expect(errors).toMatchObject([{ path: ['attestations', 'totalCount'], extensions: { code } }])
    expect(JSON.stringify(errors)).not.toContain('secret')
    expect(failing.logged).toHaveLength(logs)
    await failing.app.close()
  })
})

describe('GraphiQL', () => {
  test('is what browsers get, and runs nothing from elsewhere', async () => {
    const response = await ask('?query=%7Bchains%7D', {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'accept-encoding': 'gzip',
    })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(response.headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}=' blob:; /)
    expect(policy).toContain("connect-src 'self'")
    expect(policy).not.toContain('http')
    const again = await ask('', { accept: 'text/html', 'if-none-match': String(response.headers.etag) })
    expect(again.statusCode).toBe(304)
    expect((await ask('?query=%7B__typename%7D', { accept: '*/*' })).json()).toEqual({
      data: { __typename: 'Query' },
    })
  })

  test.each(exampleQueries.map((query) => [query.split('\n')[0], query] as const))(
    'its example works: %s',
    async (_name, query) => {
      expect((await post(query)).errors).toEqual([])
    },
  )
})

describe('any document', () => {
  const schema = createGraphqlSchema()

  test('that is valid is answered, and no failure is of our making', async () => {
    let answered = 0
    const runs = historyRuns(2_700)
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { query, variables } = randomDocument(schema, seed, { values: documentValues, depthMax: 4 })
        const { statusCode, data, errors } = await post(query, variables)
        expect(statusCode).toBe(200)
        const codes = new Set(errors.map(({ extensions }) => extensions.code))
        codes.delete('BAD_USER_INPUT')
        if (data === undefined) codes.delete('LIMIT_EXCEEDED')
        else answered++
        expect([...codes], `${query}\n${JSON.stringify(errors)}`).toEqual([])
        expect(logged).toEqual([])
      }),
      { numRuns: runs },
    )
    expect(answered).toBeGreaterThan(runs / 2)
  })

  test('that is made of scraps is answered too', async () => {
    const scraps = [
      '{',
      '}',
      '(',
      ')',
      ':',
      '"',
      '"x"',
      '...',
      '$a',
      '@include(if: true)',
      '#',
      '\n',
      '1',
      '-',
      'query',
      'fragment A on Query',
      'on',
      'schema',
      'id',
      'attestations',
      '__typename',
      '\\',
      '愛',
      '\u0000',
      '"""',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...scraps), { maxLength: 30 }),
        fc.string(),
        async (parts, tail) => {
          const { statusCode, errors } = await post(parts.join(' ') + tail)
          expect(statusCode).toBe(200)
          expect(errors.map(({ extensions }) => extensions.code)).not.toContain('INTERNAL_SERVER_ERROR')
          expect(logged).toEqual([])
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('any bytes as a body are answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (payload) => {
        expect((await send(payload)).statusCode).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
  })
})

test('introspection answers the whole schema with its documentation', async () => {
  const { data } = await post(getIntrospectionQuery())
  const schema = buildClientSchema(data as unknown as IntrospectionQuery)
  for (const query of exampleQueries) expect(validate(schema, parse(query))).toEqual([])
})
