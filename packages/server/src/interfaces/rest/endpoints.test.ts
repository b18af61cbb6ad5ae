import { Compile } from 'typebox/compile'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { createNames } from '@attestry/names/createNames.ts'
import { createServer } from '../../testing/createServer.ts'
import type { Operation } from '../../pipeline/endpoint.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { sampleStateProver } from '@attestry/trust/stateProofs/testing/sampleStateProver.ts'
import { proveSampleEvent } from '../../pipeline/testing/proveSampleEvent.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleHash, sampleSchema } from '../../pipeline/testing/sampleRecords.ts'

const operations = new Map<string, Operation>()
const index = createSampleIndex()
const member = { holds: { schema: 'onchain_evm_11155111_0x1', attester: 'any' } }
const app = createServer({
  reader: openTestIndex(index),
  decodePayload: decodeAttestedPayload,
  proveEvent: proveSampleEvent,
  stateProver: sampleStateProver,
  policies: createPolicies({ member }, true),
  names: createNames([{ id: sampleAddress(2), name: 'Ada', link: null, source: 'tests' }], null),
})
app.addHook('onRoute', ({ url, config }) => {
  // Reads of the index; what health answers is tested with the server, agents in their own folder.
  const isElsewhere = url.endsWith('z') || url.includes('/scan/agents')
  if (config?.operation?.data !== undefined && !isElsewhere) operations.set(url, config.operation)
})
afterAll(() => app.close())

const ok = { success: true, statusCode: 200, message: 'ok' }
const recordId = 'onchain_evm_11155111_0x3'
const [registrant, attester, recipient, nobody] = [1, 2, 3, 4].map((n) => sampleAddress(n))

interface Row {
  readonly id: string
  readonly attestationId: string
  readonly [member: string]: unknown
}

interface Payload {
  readonly total: number
  readonly page: number
  readonly size: number
  readonly rows: readonly Row[]
  readonly queryResult: readonly {
    readonly type: string
    readonly total: number
    readonly rows: readonly Row[]
  }[]
  readonly [member: string]: unknown
}

/** The `data` of a successful answer, after a look at the envelope. */
async function getData(url: string, payload?: object): Promise<Payload> {
  const response = await app.inject(payload === undefined ? url : { method: 'POST', url, payload })
  const body = response.json<{ data: Payload }>()
  expect({ ...body, data: null }).toEqual({ ...ok, data: null })
  expect(response.statusCode).toBe(200)
  return body.data
}

describe('every answer has exactly the members that its schema describes', () => {
  const urls: [path: string, url: string, body?: object][] = [
    [
      '/scan/transactions/:hash',
      `/scan/transactions/${sampleSchema(2).transactionHash.toUpperCase().replace('0X', '0x')}`,
    ],
    ['/scan/transactions/:hash', `/scan/transactions/${sampleHash(77)}?include=protocol,names`],
    ['/scan', '/scan'],
    ['/index', '/api/index/'],
    ['/scan/search', '/scan/search'],
    ['/scan/search', '/scan/search?keyword=Schema'],
    ['/scan/search', `/scan/search?keyword=${attester}`],
    ['/scan/search', '/scan/search?keyword=0x3&include=protocol,names'],
    ['/scan/search', '/scan/search?keyword=ada'],
    ['/scan/search', '/scan/search?keyword=x&filter=address'],
    ['/scan/search', '/scan/search?keyword=258&include=protocol,names'],
    ['/scan/aggregate/attestations', '/scan/aggregate/attestations?by=attester&include=names'],
    ['/scan/top-schemas', '/scan/top-schemas'],
    ['/scan/trending-schemas', '/scan/trending-schemas'],
    ['/scan/latest-attestations', '/scan/latest-attestations'],
    ['/scan/top-schemas', '/scan/top-schemas?include=protocol'],
    ['/scan/trending-schemas', '/scan/trending-schemas?include=protocol'],
    ['/scan/latest-attestations', '/scan/latest-attestations?include=protocol,names'],
    ['/scan/schemas', '/scan/schemas?include=names'],
    ['/scan/schemas/:id', '/scan/schemas/onchain_evm_11155111_0x2?include=protocol'],
    ['/scan/schemas/by-ids', `/scan/schemas/by-ids?ids=${recordId}&include=protocol`],
    ['/scan/addresses/:address/schemas', `/scan/addresses/${registrant}/schemas?include=protocol`],
    ['/scan/schemas', '/scan/schemas?size=100'],
    ['/scan/schemas/:id', '/scan/schemas/onchain_evm_11155111_0x2'],
    ['/scan/attestations', '/scan/attestations?size=100'],
    ['/scan/attestations', '/scan/attestations?size=100&fields=detail'],
    ['/scan/attestations/:id', '/scan/attestations/onchain_evm_11155111_0x3'],
    ['/scan/attestations/:id', '/scan/attestations/onchain_evm_11155111_0x4'],
    ['/scan/attestations/:id', '/scan/attestations/onchain_evm_11155111_0x5'],
    ['/scan/attestations/:id/proof', '/scan/attestations/onchain_evm_11155111_0x3/proof'],
    ['/scan/attestations/:id/proof', '/scan/attestations/onchain_evm_11155111_0x3/proof?event=revocation'],
    ['/scan/schemas/:id/proof', '/scan/schemas/onchain_evm_11155111_0x2/proof'],
    ['/scan/attestations/:id/proof', '/scan/attestations/onchain_evm_11155111_0x3/proof?of=state'],
    ['/scan/anchors/proof', `/scan/anchors/proof?chainId=11155111&account=${attester}&uid=${sampleHash(77)}`],
    ['/scan/chains/:chainId/count/proof', '/scan/chains/11155111/count/proof?protocol=sign'],
    [
      '/scan/holders/proof',
      `/scan/holders/proof?address=${recipient}&schemaId=onchain_evm_11155111_0x1&attester=${attester}`,
    ],
    ['/scan/addresses/:address/statistics', `/scan/addresses/${attester}/statistics?include=names`],
    ['/scan/addresses/:address/schemas', `/scan/addresses/${registrant}/schemas?size=100`],
    ['/scan/addresses/:address/attestations', `/scan/addresses/${attester}/attestations?size=100`],
    [
      '/scan/addresses/:address/attestations',
      `/scan/addresses/${attester}/attestations?size=100&include=decoded,names`,
    ],
    ['/scan/schemas', '/scan/schemas?cursor=*'],
    ['/scan/schemas', `/scan/schemas?registrant=${registrant}&revocable=true`],
    ['/scan/schemas/by-ids', `/scan/schemas/by-ids?ids=${recordId},onchain_evm_1_0x1`],
    ['/scan/schemas/:id/activity', `/scan/schemas/onchain_evm_11155111_0x1/activity`],
    ['/scan/attestations', '/scan/attestations?cursor=*&fields=detail&include=decoded,protocol,names'],
    ['/scan/attestations', `/scan/attestations?attester=${attester}&size=100&include=decoded`],
    ['/scan/attestations', '/scan/attestations?revoked=true'],
    ['/scan/attestations/:id', '/scan/attestations/onchain_evm_11155111_0x3?include=decoded,names'],
    ['/scan/attestations/by-ids', `/scan/attestations/by-ids?ids=${recordId},SPA_x&include=decoded`],
    ['/scan/addresses/:address/activity', `/scan/addresses/${attester}/activity`],
    ['/scan/addresses/:address/anchors', `/scan/addresses/${attester}/anchors`],
    ['/scan/stats', '/scan/stats'],
    ['/index/schemas', '/index/schemas'],
    ['/index/schemas/:id', '/index/schemas/onchain_evm_11155111_0x2'],
    ['/index/attestations', '/index/attestations'],
    ['/index/attestations/:id', '/index/attestations/onchain_evm_11155111_0x3'],
    ['/index/attestations/:id', '/index/attestations/onchain_evm_11155111_0x4'],
    ['/scan/chains', '/scan/chains'],
    ['/scan/edges', '/scan/edges'],
    ['/offchain/store', '/offchain/store'],
    ['/scan/chains/:chainId/digest', '/scan/chains/11155111/digest'],
    ['/scan/chains/:chainId/digest', '/scan/chains/11155111/digest?block=0&include=events'],
    ['/scan/attestations/status', '/scan/attestations/status', { ids: [recordId, 'SPA_x'] }],
    [
      '/scan/holders',
      '/scan/holders',
      { addresses: [recipient, nobody], schemaId: 'onchain_evm_11155111_0x1' },
    ],
    ['/scan/gate/:policy/:address', `/scan/gate/member/${recipient}`],
    ['/scan/policies', '/scan/policies'],
    ['/scan/gate', '/scan/gate', { policy: member, subjects: [recipient, nobody] }],
    ['/scan/anchors', '/scan/anchors?size=100'],
    ['/scan/anchors', `/scan/anchors?cursor=*&account=${attester}`],
    ['/scan/offchain/verify', '/scan/offchain/verify', { url: 'https://example.org' }],
    [
      '/scan/offchain/verify-private',
      '/scan/offchain/verify-private',
      { attestationId: recordId, proof: { leaves: [], proof: [], proofFlags: [] } },
    ],
  ]

  test.each(urls)('%s: %s', async (path, url, body) => {
    const data = await getData(url, body)
    const operation = operations.get(path)
    const check = Compile(operation?.data ?? { not: {} })
    expect([...check.Errors(data)]).toEqual([])
    // A member more or less would be noticed.
    expect(check.Check({ ...data, more: 1 })).toBe(false)
    expect(check.Check(Object.fromEntries(Object.entries(data).slice(1)))).toBe(false)
  })

  test('a transaction shows what it revoked, and a malformed hash gets its mistake', async () => {
    const data = await getData(`/scan/transactions/${sampleHash(77)}`)
    expect(data).toEqual({
      transactionHash: sampleHash(77),
      chainId: '11155111',
      blockNumber: expect.any(Number),
      schemas: [],
      attestations: [],
      revocations: ['onchain_evm_11155111_0x3'],
    })
    expect(await getData(`/scan/transactions/${sampleHash(77)}?chainId=11155111`)).toEqual(data)
    for (const [url, status] of [
      [`/scan/transactions/${sampleHash(77)}?chainId=1`, 404],
      [`/scan/transactions/${sampleHash(77)}?chainId=x`, 400],
      ['/scan/transactions/0x12', 400],
    ] as const) {
      expect((await app.inject(url)).statusCode).toBe(status)
    }
  })

  test('no endpoint goes without such a test', () => {
    const tested = new Set(urls.map(([path]) => path))
    expect(new Set([...operations.keys()].map((path) => path.replace(/^\/api/, '')))).toEqual(tested)
  })

  test('every parameter and member is described', () => {
    for (const { parameters, data } of operations.values()) {
      for (const { schema } of Object.values(parameters)) expect(schema).toHaveProperty('description')
      expect(findUndescribed(data)).toEqual([])
    }
  })
})

/** The paths of those members of a schema, at any depth, that have no description. */
function findUndescribed(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, part]: [string, unknown]) => {
    if (key !== 'properties' || typeof part !== 'object' || part === null)
      return findUndescribed(part, `${path}/${key}`)
    return Object.entries(part).flatMap(([name, member]: [string, object]) => [
      ...('description' in member ? [] : [`${path}/${name}`]),
      ...findUndescribed(member, `${path}/${name}`),
    ])
  })
}

describe('pages', () => {
  test('have ten rows by default, newest first', async () => {
    const data = await getData('/scan/attestations')
    expect(data).toMatchObject({ total: 25, page: 1, size: 10 })
    expect(data.rows.map(({ attestationId }) => attestationId)).toEqual(
      Array.from({ length: 10 }, (_, i) => `0x${(25 - i).toString(16)}`),
    )
  })

  test('joined together are the whole', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => getData(`/scan/attestations?size=7&page=${page}`)),
    )
    const ids = pages.flatMap(({ rows }) => rows.map(({ id }) => id))
    expect(new Set(ids).size).toBe(25)
    expect(ids).toEqual((await getData('/scan/attestations?size=100')).rows.map(({ id }) => id))
  })

  test('past the end are empty and keep the total', async () => {
    expect(await getData('/scan/schemas?page=2147483647')).toEqual({
      total: 12,
      rows: [],
      page: 2147483647,
      size: 10,
    })
  })

  test('0 is page 1', async () => {
    expect(await getData('/scan/schemas?page=0')).toEqual(await getData('/scan/schemas?page=1'))
  })

  test('of an address take a size too', async () => {
    expect(await getData(`/scan/addresses/${registrant}/schemas?size=5&page=3`)).toMatchObject({
      total: 12,
      page: 3,
      size: 5,
      rows: [{ schemaId: '0x2' }, { schemaId: '0x1' }],
    })
  })
})

describe('filters of attestations', () => {
  const countOf = async (query: string) => (await getData(`/scan/attestations?${query}`)).total

  test('by schema take a full id, and find nothing for an unknown one', async () => {
    expect(await countOf('schemaId=onchain_evm_11155111_0x1')).toBe(23)
    expect(await countOf('schemaId=onchain_evm_11155111_0X2')).toBe(1)
    expect(await countOf('schemaId=onchain_evm_1_0x1')).toBe(0)
    expect(await countOf('schemaId=onchain_evm_11155111_0x01')).toBe(0)
    expect(await countOf('schemaId=SPS_abc')).toBe(0)
  })

  test('that are empty do not filter', async () => {
    expect(await countOf('schemaId=&keyword=&fields=')).toBe(25)
  })

  test('combine', async () => {
    const query = 'schemaId=onchain_evm_11155111_0x2&keyword=order+%2242%22&fields=detail&page=1&size=3'
    expect(await getData(`/scan/attestations?${query}`)).toMatchObject({
      total: 1,
      size: 3,
      rows: [{ id: recordId, schema: { schemaId: '0x2' } }],
    })
    expect(await countOf('schemaId=onchain_evm_11155111_0x1&keyword=order+%2242%22')).toBe(0)
  })

  test('leave the schema out unless fields=detail asks for it', async () => {
    const { rows } = await getData('/scan/attestations?keyword=0x3')
    expect(rows[0]).not.toHaveProperty('schema')
  })
})

describe('addresses', () => {
  const countOf = async (address: string | undefined, query: string) =>
    (await getData(`/scan/addresses/${address}/attestations?${query}`)).total

  test('are found in any case', async () => {
    const statistics = {
      schemaCreated: 0,
      totalAttestations: 25,
      attestationCreated: 25,
      attestationReceived: 0,
    }
    for (const spelling of [attester, attester?.toUpperCase().replace('X', 'x')]) {
      expect(await getData(`/scan/addresses/${spelling}/statistics`)).toEqual(statistics)
    }
  })

  test('that nothing mentions have zeros and empty pages', async () => {
    expect(await getData(`/scan/addresses/${nobody}/statistics`)).toEqual({
      schemaCreated: 0,
      totalAttestations: 0,
      attestationCreated: 0,
      attestationReceived: 0,
    })
    expect(await getData(`/scan/addresses/${nobody}/schemas`)).toEqual({
      total: 0,
      rows: [],
      page: 1,
      size: 10,
    })
    expect(await countOf(nobody, '')).toBe(0)
  })

  test('have attestations that they made and that they received', async () => {
    expect(await countOf(attester, 'type=created')).toBe(25)
    expect(await countOf(attester, 'type=received')).toBe(0)
    expect(await countOf(recipient, 'type=received')).toBe(24)
    expect(await countOf(recipient, 'type=')).toBe(24)
  })

  test('can be narrowed to a chain and a schema', async () => {
    expect(await countOf(attester, 'chainId=11155111')).toBe(25)
    expect(await countOf(attester, 'chainId=1')).toBe(0)
    expect(await countOf(attester, 'chainId=99999999999999999999')).toBe(0)
    expect(await countOf(attester, 'schemaId=0x2')).toBe(1)
    expect(await countOf(attester, 'schemaId=0x2&chainId=1')).toBe(0)
    expect(await countOf(attester, 'schemaId=0x02')).toBe(0)
    expect(await countOf(attester, 'schemaId=onchain_evm_11155111_0x2&chainId=11155111')).toBe(1)
    expect(await countOf(attester, 'schemaId=onchain_evm_11155111_0x2&chainId=1')).toBe(0)
  })
})

describe('search', () => {
  const typesOf = async (query: string) =>
    (await getData(`/scan/search?${query}`)).queryResult.map(({ type }) => type)

  test('answers three groups in their order, or the one that is asked for', async () => {
    expect(await typesOf('keyword=x')).toEqual(['schema', 'attestation', 'address'])
    expect(await typesOf('keyword=x&filter=')).toEqual(['schema', 'attestation', 'address'])
    expect(await typesOf('keyword=x&filter=attestation')).toEqual(['attestation'])
  })

  test('finds nothing without a keyword', async () => {
    for (const query of ['', 'keyword=', 'keyword=%20%09']) {
      expect((await getData(`/scan/search?${query}`)).queryResult).toEqual([
        { type: 'schema', rows: [], total: 0 },
        { type: 'attestation', rows: [], total: 0 },
        { type: 'address', rows: [], total: 0 },
      ])
    }
  })

  test('names the fields that have the keyword as a value', async () => {
    const values = (keyword: string) => getData(`/scan/search?filter=value&keyword=${keyword}`)
    expect((await values('258')).queryResult).toMatchObject([
      { type: 'value', total: 1, rows: [{ value: '258', attestationCount: 3 }] },
    ])
    expect((await values('259')).queryResult).toEqual([{ type: 'value', total: 0, rows: [] }])
  })

  test('has ten rows a group and the total', async () => {
    const [group] = (await getData('/scan/search?keyword=Schema&filter=schema')).queryResult
    expect(group?.total).toBe(11)
    expect(group?.rows).toHaveLength(10)
  })
})

describe('single records', () => {
  test.each(['schemas', 'attestations'])('of %s that are not indexed are a 404', async (kind) => {
    const ids = [
      'onchain_evm_11155111_0xffff',
      'onchain_evm_1_0x3',
      'onchain_evm_11155111_0x03',
      'SPA_x',
      'offchain_evm_1_0x1',
    ]
    for (const id of ids) {
      const response = await app.inject(`/scan/${kind}/${id}`)
      const { message, ...rest } = response.json<{ message: string }>()
      expect(rest).toEqual({ success: false, statusCode: 404, data: {} })
      expect(response.statusCode).toBe(404)
      expect(message).toContain(id)
    }
  })
})
