import { afterAll, describe, expect, test } from 'vitest'
import { createTestServer } from '../../testing/graphqlServer.ts'

const server = createTestServer()
afterAll(() => server.app.close())
const { post, get } = server

const schemaFields = `id mode chainType chainId schemaId transactionHash name description revocable maxValidFor resolver
  registerTimestamp registrant data`
const attestationFields = `attestationId attester attestTimestamp linkedAttestation chainId chainType data dataLocation
  transactionHash revokeTransactionHash id indexingValue mode recipients revoked revokeReason revokeTimestamp
  schema { id schemaId name registrant data } validUntil`
const idOf = (localId: string) => `onchain_evm_11155111_${localId}`

interface RestPage {
  readonly total: number
  readonly rows: readonly { readonly id: string }[]
}

/** A schema of the REST interface in the types of GraphQL. */
function schemaOfRest(row: Record<string, unknown>): unknown {
  const { data, maxValidFor, registerTimestamp, extra, syncAt, ...same } = row
  expect([extra, typeof syncAt]).toEqual([null, 'string'])
  return {
    ...same,
    data: JSON.stringify(data),
    maxValidFor: Number(maxValidFor),
    registerTimestamp: Number(registerTimestamp),
  }
}

/** An attestation of the REST interface in the types of GraphQL. */
function attestationOfRest(row: Record<string, unknown>): unknown {
  const { schema, schemaId, fullSchemaId, ...same } = row
  const { data, ...summary } = schema as { readonly id: string; readonly data: unknown }
  expect([summary]).toMatchObject([{ id: fullSchemaId, schemaId }])
  const revokeTimestamp = same['revokeTimestamp']
  return {
    ...same,
    attestTimestamp: Number(same['attestTimestamp']),
    validUntil: Number(same['validUntil']),
    revokeTimestamp: revokeTimestamp === null ? null : Number(revokeTimestamp),
    schema: { ...summary, data: JSON.stringify(data) },
  }
}

describe('the four fields of the contract agree with REST', () => {
  test('of every schema, one by one and by page', async () => {
    const registrant = '0xAB00000000000000000000000000000000000001'
    const rest = (await get(`/scan/addresses/${registrant}/schemas?size=100`)) as RestPage
    expect(rest.total).toBe(12)
    const expected = rest.rows.map((row) => schemaOfRest({ ...row }))
    const paged = await post(`{ pagedSchemas(size: 100) { total page size schemas { ${schemaFields} } } }`)
    expect(paged).toEqual({
      statusCode: 200,
      errors: [],
      data: { pagedSchemas: { total: 12, page: 1, size: 100, schemas: expected } },
    })
    for (const [i, { id }] of rest.rows.entries()) {
      const { data } = await post(`query ($id: String!) { schema(id: $id) { ${schemaFields} } }`, { id })
      expect(data).toEqual({ schema: expected[i] })
    }
  })

  test('of every attestation, one by one and by page', async () => {
    const listing = (await get('/scan/attestations?size=100')) as RestPage
    expect(listing.total).toBe(25)
    const expected: unknown[] = []
    for (const { id } of listing.rows) {
      const record = attestationOfRest((await get(`/scan/attestations/${id}`)) as Record<string, unknown>)
      const schema = (record as { schema: { id: string } }).schema
      const registrant = schema.id === idOf('0x3e7') ? null : '0xAB00000000000000000000000000000000000001'
      expected.push({ ...(record as object), schema: { ...schema, registrant } })
      const { data } = await post(`{ attestation(id: "${id}") { ${attestationFields} } }`)
      expect(data).toEqual({ attestation: expected.at(-1) })
    }
    const paged = await post(
      `{ pagedAttestations(size: 100) { total attestations { ${attestationFields} } } }`,
    )
    expect(paged.data).toEqual({ pagedAttestations: { total: 25, attestations: expected } })
    expect(paged.errors).toEqual([])
  })

  test('by pages, whose numbers and sizes follow the same rules', async () => {
    const query = `query ($page: Int, $size: Int) { pagedAttestations(page: $page, size: $size) {
      total page size attestations { id } } }`
    for (const [variables, search, page, size] of [
      [{}, '', 1, 10],
      [{ page: null, size: null }, '', 1, 10],
      [{ page: 0 }, '?page=0', 1, 10],
      [{ page: 3 }, '?page=3', 3, 10],
      [{ page: 4, size: 7 }, '?page=4&size=7', 4, 7],
      [{ page: 2147483647, size: 100 }, '?page=2147483647&size=100', 2147483647, 100],
    ] as const) {
      const { rows } = (await get(`/scan/attestations${search}`)) as RestPage
      const attestations = rows.map(({ id }) => ({ id }))
      const { data } = await post(query, variables)
      expect(data).toEqual({ pagedAttestations: { total: 25, page, size, attestations } })
    }
  })
})

describe('ids', () => {
  test('that are well formed and unknown are null without an error', async () => {
    for (const id of [
      idOf('0xff'),
      idOf('0x01'),
      'onchain_evm_1_0x1',
      'SPA_x',
      'offchain_evm_1_x',
      idOf('0x3e7'),
    ]) {
      const answer = await post(
        'query ($id: String!) { schema(id: $id) { id } attestation(id: $id) { id } }',
        { id },
      )
      expect(answer).toEqual({ statusCode: 200, errors: [], data: { schema: null, attestation: null } })
    }
  })

  test('are matched in any case of their digits', async () => {
    const { data } = await post(`{ attestation(id: "${idOf('0XA')}") { id } }`)
    expect(data).toEqual({ attestation: { id: idOf('0xa') } })
  })

  test.each(['', 'x', '0x1', 'ONCHAIN_EVM_11155111_0x1', 'onchain_evm_11155111_', '\u0000', '愛'])(
    'that are malformed are an error: %j',
    async (id) => {
      const { data, errors } = await post(
        'query ($id: String!) { schema(id: $id) { id } attestation(id: $id) { id } }',
        { id },
      )
      expect(data).toEqual({ schema: null, attestation: null })
      expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
        [['schema'], 'BAD_USER_INPUT'],
        [['attestation'], 'BAD_USER_INPUT'],
      ])
      expect(errors[0]?.message).toContain('id must be a composite id')
    },
  )
})

test.each([
  ['pagedSchemas(page: -1) { total }', 'page must be a whole number from 1 to 2147483647'],
  ['pagedSchemas(size: 0) { total }', 'size must be a whole number from 1 to 100'],
  ['pagedAttestations(size: 101) { total }', 'size must be a whole number from 1 to 100'],
  ['pagedAttestations(size: 5000) { total }', 'size must be a whole number from 1 to 100'],
  ['attestations(first: -1) { totalCount }', 'first must be a whole number from 0 to 100'],
  ['schemas(last: 101) { totalCount }', 'last must be a whole number from 0 to 100'],
  ['schemas(first: 1, last: 1) { totalCount }', 'first and last are both given'],
  ['attestations(after: "x") { totalCount }', 'after must be a cursor of an earlier answer'],
  ['attestations(before: "MTIz") { totalCount }', 'before must be a cursor'],
  ['attestations(filter: { schemaId: "0x1" }) { totalCount }', 'schemaId must be a composite id'],
  ['attestations(filter: { attester: "0x1" }) { totalCount }', 'attester must be 0x followed by 40'],
  ['attestations(filter: { chainId: "0x1" }) { totalCount }', 'chainId must be a decimal chain number'],
  ['attestations(filter: { validAt: 1.5 }) { totalCount }', 'validAt must be a whole number'],
  ['attestations(filter: { attestedFrom: -1 }) { totalCount }', 'attestedFrom must be a whole number'],
  ['schemas(filter: { resolver: "me" }) { totalCount }', 'resolver must be 0x'],
  ['address(address: "0x") { address }', 'address must be 0x followed by 40'],
  ['stats { activity(days: 0) { date } }', 'days must be a whole number from 1 to 1000'],
])('%s is an error that says what is right', async (field, message) => {
  const { statusCode, data, errors } = await post(`{ __typename ${field} }`)
  expect(statusCode).toBe(200)
  expect(errors).toHaveLength(1)
  expect(errors[0]?.message).toContain(message)
  expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' })
  expect(errors[0]?.locations).toEqual([{ line: 1, column: field.startsWith('stats') ? 22 : 14 }])
  expect(data).toMatchObject({ __typename: 'Query' })
})

test('a schema that is not indexed has what attestations know of it, and null for the rest', async () => {
  const { data, errors } = await post(
    `{ attestation(id: "${idOf('0x4')}") { schema { ${schemaFields} fields { name } attestationCount } } }`,
  )
  expect(errors).toEqual([])
  expect(data).toMatchObject({
    attestation: {
      schema: {
        id: idOf('0x3e7'),
        schemaId: '0x3e7',
        name: '',
        data: '[]',
        registrant: null,
        attestationCount: null,
      },
    },
  })
})

test('the interface answers alike under /api', async () => {
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/graphql/',
    payload: { query: '{ __typename }' },
  })
  expect(response.json()).toEqual({ data: { __typename: 'Query' } })
})
