import { hash } from 'node:crypto'
import { getIntrospectionQuery, buildClientSchema, type IntrospectionQuery, parse, validate } from 'graphql'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import { sampleAddress } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { easExamples } from './easExamples.ts'
import { createEasTestServer } from '@attestry/server/testing/easServer.ts'

const { app, ask, attestations } = createEasTestServer(
  {},
  { limits: { rows: 500, characters: 1_000_000, comparedCharacters: 200_000 } },
)
let port = 0
beforeAll(async () => {
  port = await listenLocally(app)
})
afterAll(() => app.close())

describe('the audits of GraphQL over HTTP', () => {
  // Audits are made before the port is known; their URL is asked for when they run.
  const audits = serverAudits({ url: () => `http://127.0.0.1:${port}/eas/10/graphql` })
  test.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s %s', async (_id, _name, run) => {
    expect((await run()).status).toBe('ok')
  })
})

test('names of ENS are those of the addresses that are asked for', async () => {
  const [ada, eve, nobody] = [1, 2, 3].map((number) => sampleAddress(number))
  const known = new Map([
    [ada, 'ada.eth'],
    [eve, 'eve.eth'],
  ])
  const server = createEasTestServer({
    names: {
      change: true,
      find: () => undefined,
      search: () => Promise.resolve([]),
      findOfEns: (asked) =>
        Promise.resolve(
          new Map(asked.flatMap((each) => (known.has(each) ? [[each, known.get(each) ?? '']] : []))),
        ),
    },
  })
  const document = `query ($ids: [String!], $id: String, $take: Int) {
    ensNames(where: {id: {in: $ids, mode: insensitive}}, take: $take) { id name timestamp }
    none: ensNames { id } ensName(where: {id: $id}) { name } }`
  const ids = [nobody, eve, ada?.toUpperCase().replace('0X', '0x')]
  const rows = [
    { id: checksumAddress(ada ?? zeroAddress), name: 'ada.eth', timestamp: 0 },
    { id: checksumAddress(eve ?? zeroAddress), name: 'eve.eth', timestamp: 0 },
  ]
  const { data, errors } = await server.ask(document, { ids, id: eve })
  expect(errors).toBeUndefined()
  expect(data).toEqual({ ensNames: expect.any(Array), none: [], ensName: { name: 'eve.eth' } })
  expect(new Set((data as unknown as { ensNames: unknown[] }).ensNames)).toEqual(new Set(rows))
  expect(await server.ask(document, { ids, id: nobody, take: 1 })).toMatchObject({
    data: { ensNames: [{ name: expect.stringMatching(/^(ada|eve)\.eth$/) }], ensName: null },
  })
  // ENS may answer later than the first requests, of which the second would be kept.
  const last = { ids, id: nobody, take: 1 }
  for (let turn = 0; turn < 3; turn++) {
    expect(await server.ask(document, last)).toMatchObject({ data: { ensName: null } })
  }
  known.set(nobody, 'nobody.eth')
  expect(await server.ask(document, last)).toMatchObject({ data: { ensName: { name: 'nobody.eth' } } })
  await server.app.close()
})

test('code generators find the types, inputs and arguments of easscan under their names', async () => {
  const { data } = await ask(getIntrospectionQuery())
  const schema = buildClientSchema(data as unknown as IntrospectionQuery)
  for (const name of [
    'AttestationWhereInput AttestationWhereUniqueInput AttestationOrderByWithRelationInput AttestationScalarFieldEnum',
    'AttestationOrderByWithAggregationInput AttestationScalarWhereWithAggregatesInput AggregateAttestation AttestationGroupBy',
    'AttestationCountAggregate AttestationMinAggregate AttestationListRelationFilter SchemaRelationFilter SchemaCount',
    'SchemaWhereInput SchemaWhereUniqueInput SchemaOrderByWithRelationInput SchemaScalarFieldEnum SchemaNameWhereInput',
    'SchemaNameOrderByWithRelationInput EnsNameWhereInput StringFilter NestedStringFilter IntFilter BoolFilter SortOrder QueryMode',
  ].flatMap((names) => names.split(' '))) {
    expect(schema.getType(name), name).toBeDefined()
  }
  for (const query of easExamples) expect(validate(schema, parse(query)), query).toEqual([])
})

test('a browser gets GraphiQL with the examples', async () => {
  const response = await app.inject({ url: '/eas/10/graphql', headers: { accept: 'text/html' } })
  expect(response.statusCode).toBe(200)
  expect(response.body).toContain('LatestAttestations')
})

test('a document by its hash is answered after its text was sent once; until then the answer asks for the text', async () => {
  const query = '{ aggregateSchema { _count { id } } }'
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } }
  const search = new URLSearchParams({ extensions: JSON.stringify(extensions) })
  const ask = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/eas/10/graphql', payload })).json<unknown>()
  const unknown = { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] }
  expect(await ask({ extensions })).toMatchObject(unknown)
  expect((await app.inject(`/eas/10/graphql?${String(search)}`)).json()).toMatchObject(unknown)
  const answer = await ask({ query, extensions })
  expect(answer).toMatchObject({ data: { aggregateSchema: {} } })
  expect(await ask({ extensions })).toEqual(answer)
})

test('every path that takes GET takes HEAD', async () => {
  await app.ready()
  const routes = app.printRoutes({ commonPrefix: false }).split('\n')
  const taken = routes.filter((route) => route.includes('GET'))
  expect(taken.some((route) => route.includes('attestation/view'))).toBe(true)
  expect(taken.filter((route) => !route.includes('HEAD'))).toEqual([])
  const url = `/eas/base/attestation/view/0x${'a'.repeat(64)}`
  const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })]
  expect([head.statusCode, head.headers['location'], head.body]).toEqual([302, get.headers['location'], ''])
})

describe('hostile requests', () => {
  const nest = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)
  const list = (count: number, text: string) => Array.from({ length: count }, () => text).join(' ')

  test.each<[name: string, query: string, message: RegExp]>([
    [
      'conditions nested in one another',
      `{ attestations(where: ${nest(30, '{AND: [', ']}')}) { id } }`,
      /where nests more than 24/,
    ],
    [
      'a literal that nests very deep',
      `{ attestations(where: ${nest(4_000, '{AND: [', ']}')}) { id } }`,
      /nests more than|tokens/,
    ],
    [
      'lists that nest very deep',
      `{ attestations(where: ${nest(9_900, '[', ']')}) { id } }`,
      /nests more than|tokens/,
    ],
    [
      'fields nested in one another',
      `{ ${nest(8, 'attestations(take: 1) { schema {', '}}').replace('{}', '{ id }')} }`,
      /more than 12 fields in depth/,
    ],
    [
      'very many conditions',
      `{ attestations(where: {OR: [${list(3_000, '{id: {equals: "0x1"}}')}]}) { id } }`,
      /more than 20,000 tokens/,
    ],
    [
      'very many aliases',
      `{ ${Array.from({ length: 60 }, (_, n) => `a${n}: attestations { id }`).join(' ')} }`,
      /more than 50 root fields/,
    ],
    [
      '27 roots that each read everything',
      `{ ${Array.from({ length: 27 }, (_, n) => `a${n}: attestations(where: {data: {contains: "${n}x"}}) { id }`).join(' ')} }`,
      /more than 500 rows/,
    ],
    [
      'nested lists that multiply',
      '{ schemata { attestations { schema { attestations { schema { attestations { id } } } } } } }',
      /more than 500 rows/,
    ],
    [
      'one payload printed many times',
      `{ attestations { ${Array.from({ length: 90 }, (_, n) => `a${n}: data`).join(' ')} } }`,
      /more than 1,000,000 characters/,
    ],
    [
      'patterns with wildcards',
      `{ attestations(where: {decodedDataJson: {contains: "${'_'.repeat(50)}x"}}) { id } }`,
      /more than 200,000 characters for patterns/,
    ],
    [
      'a pattern without an end',
      `{ attestations(where: {data: {contains: "${'f'.repeat(5_000)}"}}) { id } }`,
      /at most 4094 are looked for/,
    ],
  ])('%s: an error that names the limit', async (_name, query, message) => {
    const { data, errors } = await ask(query)
    expect(data ?? null).toBeNull()
    expect(errors?.map((error) => error.message).join('\n')).toMatch(message)
    expect(JSON.stringify(errors)).not.toContain('INTERNAL')
  })

  test('variables that nest very deep are refused', async () => {
    const where = JSON.parse(`${'{"AND":['.repeat(5_000)}${']}'.repeat(5_000)}`) as object
    const { errors } = await ask(
      'query($where: AttestationWhereInput) { attestations(where: $where) { id } }',
      { where },
    )
    expect(errors?.[0]?.message).toMatch(/nests more than/)
  })

  test('a thousand ids in one list, or one by one, are read', async () => {
    const ids = [
      ...attestations.map(({ id }) => id),
      ...Array.from({ length: 900 }, (_, n) => `0x${n.toString(16).padStart(64, '1')}`),
    ]
    const { data } = await ask(
      'query($ids: [String!], $or: [AttestationWhereInput!]) { a: attestations(where: {id: {in: $ids}}) { id } b: attestations(where: {OR: $or}) { id } }',
      { ids, or: ids.map((id) => ({ id: { equals: id } })) },
    )
    const expected = attestations.map(({ id }) => ({ id }))
    expect(data).toEqual({ a: expected, b: expected })
  })
})
