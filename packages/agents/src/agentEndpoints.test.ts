import { parquetReadObjects } from 'hyparquet'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedbackSchemaId } from '@attestry/core/model/agents.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import type { Operation } from '@attestry/server/pipeline/endpoint.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import {
  adaUri,
  agentChain,
  buyer,
  changed,
  client,
  easRecord,
  easUid,
  feedbackIdAt,
  fillAgents,
  friend,
  gave,
  owner,
  sampleAgentId,
  requested,
  sampleNow,
  validated,
  validationSchemaRegistered,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { didAddress, didOfUrl } from '@attestry/core/model/didAddress.ts'

const store = await createSqliteTestStore()
const operations = new Map<string, Operation>()
const eas = `onchain_evm_${agentChain}_0x${'7'.repeat(61)}1f4`
// Friend received an attestation of EAS; client received none.
const known = { holds: { schema: eas, attester: 'any' } }
const app = createServer({
  reader: store.openReader(),
  decodePayload: decodeAttestedPayload,
  policies: createPolicies({ known }, true),
  now: () => sampleNow,
})
app.addHook('onRoute', ({ url, config }) => {
  if (config?.operation !== undefined && /^\/scan\/(agents|search$|attestations$)/.test(url))
    operations.set(url, config.operation)
})
const hostile = changed(2n, {
  change: 'registered',
  owner: buyer,
  uri: `data:application/json,{"name":"${'x'.repeat(1_000_000)}"}`,
})

const adaDid = 'did:web:mcp.ada.example'
const adaAddress = didAddress(adaDid) ?? owner
const didUid = (byte: string) => `0x${byte.repeat(32)}` as Hash
const aboutDid =
  (byte: string, recipients: Attestation['recipients']) =>
  (block: number): DomainEvent => ({
    kind: 'attestationMade',
    position: eventPosition(block, 0),
    attestation: { ...easRecord(block, didUid(byte)), recipients },
  })
const byAddress = { kind: 'address', address: adaAddress } as const
const byText = { kind: 'text', text: adaDid } as const

const requestAt = (digit: string) => `0x${digit.repeat(64)}` as Hash

beforeAll(async () => {
  const writer = store.openWriter()
  await fillAgents(writer, [
    hostile,
    aboutDid('d1', [byAddress]),
    aboutDid('d2', [byText]),
    aboutDid('d3', [byText, byAddress]),
    aboutDid('d4', [{ kind: 'text', text: 'did:web:other.example' }]),
    validationSchemaRegistered,
    requested(1n, requestAt('a'), 'ipfs://work'),
    requested(1n, requestAt('b'), ''),
    validated(1n, requestAt('a'), 20, 'soft'),
    validated(1n, requestAt('a'), 95, 'hard'),
    requested(0n, requestAt('c'), ''),
  ])
  await writer.close()
})
afterAll(async () => {
  await app.close()
  await store.remove()
})

interface Row {
  readonly id: string
  readonly [member: string]: unknown
}
interface Data extends Row {
  readonly total: number
  readonly rows: readonly Row[]
  readonly nextCursor: string | null
}

async function get(url: string): Promise<Data> {
  const response = await app.inject(url)
  const { data, message } = response.json<{ data: Data; message: string }>()
  expect([response.statusCode, message]).toEqual([200, 'ok'])
  const path = url.replace(/\?.*/, '').replace(/^(\/scan\/agents)\/[^/]+/, '$1/:id')
  const schema = operations.get(path)?.data
  if (schema === undefined) throw new Error(`no operation ${path}`)
  expect([...Compile(schema).Errors(data)]).toEqual([])
  return data
}

const ada = `/scan/agents/${encodeURIComponent(sampleAgentId(0n))}`
const idsOf = ({ rows }: Data) => rows.map(({ id }) => id)
const [zero, one, two] = [0n, 1n, 2n].map(sampleAgentId)

describe('the listing of agents', () => {
  test.each([
    ['', [two, one, zero]],
    ['?owner=' + owner, [zero]],
    ['?owner=' + checksumAddress(buyer), [two, one]],
    ['?active=true', [zero]],
    ['?active=false', []],
    ['?hasFeedback=true&chainId=5', [zero]],
    ['?hasFeedback=false', [two, one]],
    ['?chainId=6', []],
    ['?keyword=ADDS', [zero]],
    ['?service=MCP', [zero]],
    ['?service=MC', []],
    ['?capability=reputation', [zero]],
    ['?capability=maths/adding&service=OASF', [zero]],
    ['?capability=science', [zero]],
    ['?capability=Ada', []],
    ['?order=updated&owner=' + buyer, [two, one]],
    ['?order=feedback', [zero, two, one]],
    ['?order=feedback&chainId=5&active=true', [zero]],
    ['?keyword=5:1', [one]],
    ['?keyword=nothing', []],
    ['?keyword=5:1&chainId=6', []],
  ])('narrowed by %j has its agents, in their order', async (query, ids) => {
    const data = await get(`/scan/agents${query}`)
    expect([idsOf(data), data.total]).toEqual([ids, ids.length])
  })

  test('is walked by pages and by cursors', async () => {
    expect(idsOf(await get('/scan/agents?size=2&page=2'))).toEqual([zero])
    const first = await get('/scan/agents?size=2&cursor=*')
    expect(idsOf(first)).toEqual([two, one])
    expect(idsOf(await get(`/scan/agents?size=2&cursor=${first.nextCursor}`))).toEqual([zero])
    const response = await app.inject('/scan/agents?cursor=*&order=updated')
    expect(response.json<{ message: string }>().message).toMatch(/^cursor does not combine with order/)
  })

  test('refuses a moment, and says what takes one', async () => {
    const response = await app.inject('/scan/agents?asOf=5:3')
    expect(response.statusCode).toBe(400)
    expect(response.json<{ message: string }>().message).toMatch(
      /newest state; \/scan\/agents\/\{id\} takes it/,
    )
    expect((await get('/scan/agents?asOf=')).total).toBe(3)
  })

  test('cuts a URI of a megabyte, and says why it was not read', async () => {
    const { rows } = await get(`/scan/agents?owner=${buyer}&size=1`)
    expect(rows[0]).toMatchObject({ uriState: 'refused', name: '' })
    expect(String(rows[0]?.['uri'])).toHaveLength(2_048)
    expect(rows[0]?.['uriReason']).toMatch(/no more than 262144 bytes/)
  })
})

describe('an agent', () => {
  test('shows its registration under either form of its id', async () => {
    const agent = await get(ada)
    expect(agent).toMatchObject({
      id: zero,
      chainId: '5',
      agentId: '0',
      owner: checksumAddress(owner),
      wallet: checksumAddress(owner),
      uri: adaUri,
      uriState: 'read',
      name: 'Ada',
      active: true,
      x402: true,
      trusts: ['reputation'],
      skills: ['maths/adding'],
      domains: ['science'],
      feedbackCount: 5,
      revokedCount: 1,
      reviewerCount: 2,
      responseCount: 1,
      metadata: [{ key: 'nul\0 and \ud800', value: '0xabcd' }],
      registration: { name: 'Ada', x402Support: true },
    })
    expect(await get('/scan/agents/5:0')).toEqual(agent)
    expect(agent['didAddresses']).toContainEqual({
      did: 'did:web:mcp.ada.example',
      address: checksumAddress(didAddress('did:web:mcp.ada.example') ?? owner),
    })
  })

  test.each([
    ['', ['d3', 'd2', 'd1']],
    [`&attester=${client}`, ['d3', 'd2', 'd1']],
    [`&attester=${buyer}`, []],
    [`&schemaId=${eas}&chainId=${agentChain}`, ['d3', 'd2', 'd1']],
  ])('has the attestations that name its did:web by text or address, each once: %s', async (more, bytes) => {
    for (const recipient of [adaDid, 'did:web:MCP.ada.example']) {
      const { total, rows } = await get(
        `/scan/attestations?recipient=${encodeURIComponent(recipient)}${more}`,
      )
      const found = recipient === adaDid ? bytes : bytes.filter((byte) => byte !== 'd2')
      expect([total, rows.map((row) => row['attestationId'])]).toEqual([found.length, found.map(didUid)])
    }
  })

  test('is found under the address of its did:web, where attestations name it', async () => {
    const { queryResult } = await get(
      `/scan/search?keyword=${encodeURIComponent(adaDid.toUpperCase().replace('DID:WEB', 'did:web'))}`,
    )
    expect(queryResult).toContainEqual({
      type: 'address',
      total: 1,
      rows: [
        expect.objectContaining({
          address: checksumAddress(adaAddress),
          attestationReceived: 2,
        }),
      ],
    })
  })

  test('is as of a block what its events up to the block say', async () => {
    const response = await app.inject('/scan/agents/5:1?asOf=5:12')
    expect(response.headers['x-attestry-as-of']).toBe('5:12')
    expect(response.json<{ data: Data }>().data).toMatchObject({
      owner: checksumAddress(owner),
      wallet: checksumAddress(owner),
      versionCount: 1,
    })
    expect((await app.inject('/scan/agents/5:1')).headers['x-attestry-as-of']).toMatch(/^5:\d+$/)
    expect(await get('/scan/agents/5:0?asOf=5:8')).toMatchObject({
      feedbackCount: 3,
      revokedCount: 0,
      reviewerCount: 2,
      responseCount: 0,
      metadata: [{ value: '0xabcd' }],
    })
    expect(await get('/scan/agents/5:0?asOf=5:6')).toMatchObject({ feedbackCount: 1, reviewerCount: 1 })
    expect(await get('/scan/agents/5:0/reputation?asOf=5:7')).toMatchObject({ count: 2, average: '49.5' })
    expect(await get('/scan/agents/5:0/feedback?asOf=5:8&revoked=false')).toMatchObject({ total: 3 })
    expect(await get('/scan/agents/5:0/responses?asOf=5:11')).toMatchObject({ total: 0, rows: [] })
    expect(await get('/scan/agents/5:1/history?asOf=5:12')).toMatchObject({
      total: 1,
      rows: [{ change: 'registered' }],
    })
  })

  test.each([
    ['/scan/agents/5:0?asOf=5:1', 404, 'There was no agent 0 of chain 5 as of block 1 of chain 5.'],
    ['/scan/agents/5:0?asOf=5:99999', 409, 'Block 99999 of chain 5 is not indexed yet'],
    ['/scan/agents/5:0?asOf=x', 400, 'asOf must be'],
    ['/scan/agents/5:0/reputation?asOf=5:9&by=known', 400, 'asOf and by do not go together'],
    ['/scan/agents/5:0/feedback?asOf=5:9&by=known', 400, 'asOf and by do not go together'],
  ])('%s is a %i', async (url, statusCode, message) => {
    const response = await app.inject(url)
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      statusCode,
      expect.stringContaining(message),
    ])
  })

  test('with very many versions is refused as of a block, with what to do', async () => {
    const reader = store.openReader()
    const findAgents = () => Promise.reject(new StoreTooMuchWorkError('too many versions'))
    const server = createServer({ reader: { ...reader, asOf: (at) => ({ ...reader.asOf(at), findAgents }) } })
    const response = await server.inject('/scan/agents/5:0?asOf=5:8')
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      'This agent has more versions than one answer looks at; leave asOf out, or walk its history.',
    ])
    await server.close()
  })

  test('that was transferred has another owner and no wallet', async () => {
    expect(await get('/scan/agents/5:1')).toMatchObject({ owner: checksumAddress(buyer), wallet: '' })
    const { rows } = await get('/scan/agents/5:1/history')
    expect(rows).toMatchObject([
      { change: 'transferred', from: checksumAddress(owner), owner: checksumAddress(buyer) },
      { change: 'registered', owner: checksumAddress(owner) },
    ])
  })

  test.each([
    ['/scan/agents/5:77', 404, /No agent 77 of chain 5/],
    ['/scan/agents/6:0', 404, /No agent 0 of chain 6/],
    [`/scan/agents/${encodeURIComponent(`eip155:5:${owner}/0`)}`, 404, /No agent 0/],
    ['/scan/agents/ada', 400, /id must be the id of an agent/],
    ['/scan/agents/5:-1', 400, /id must be the id of an agent/],
    [`/scan/agents/5:${2n ** 256n}`, 400, /id must be the id of an agent/],
    [`${ada}/feedback?by=nobody`, 404, /There is no policy 'nobody'/],
    [`${ada}/feedback?client=0x1`, 400, /client must be/],
    ['/scan/agents?cursor=*&page=2', 400, /cursor does not combine/],
  ])('that is asked for wrongly (%s) is told of in a sentence', async (url, status, sentence) => {
    const response = await app.inject(url)
    expect(response.statusCode).toBe(status)
    expect(response.json<{ message: string }>().message).toMatch(sentence)
  })
})

describe('feedback', () => {
  test('has its value with decimals, its tags and its responses', async () => {
    const { total, rows } = await get(`${ada}/feedback`)
    expect(total).toBe(5)
    expect(rows.slice(3)).toMatchObject([
      { value: '-0.5', tag1: 'quality', feedbackIndex: '2', responseCount: 0, eas: null, revoked: false },
      {
        id: formatCompositeId({ chainId: agentChain, localId: feedbackIdAt(1) }),
        attester: checksumAddress(client),
        recipients: [checksumAddress(owner), zero],
        value: '99.5',
        responseCount: 1,
      },
    ])
    expect(rows[2]).toMatchObject({ tag1: 'up\u202e\u0007', revoked: true })
  })

  test.each([
    [`?client=${friend}`, 3],
    ['?tag1=quality', 2],
    [`?tag1=eas&tag2=${easUid}`, 1],
    ['?revoked=true', 1],
    ['?revoked=false', 4],
    [`?client=${client}&tag1=quality&revoked=false`, 2],
    ['?tag1=none', 0],
  ])('is narrowed by %s', async (query, count) => {
    const { total, rows } = await get(`${ada}/feedback${query}`)
    expect([total, rows.length]).toEqual([count, count])
  })

  test('that points to EAS shows the record, its status and what does not fit', async () => {
    const { rows } = await get(`${ada}/feedback?tag1=eas`)
    expect(rows.map(({ eas: reference }) => reference)).toEqual([
      { id: '', status: 'unknown', mismatch: expect.stringContaining('tag2 is not the uid') as unknown },
      {
        id: `onchain_evm_5_${easUid}`,
        status: 'valid',
        mismatch: expect.stringContaining(`is for ${checksumAddress(friend)}, which is neither`) as unknown,
      },
    ])
  })

  test('shows responses by any account', async () => {
    const { total, rows } = await get(`${ada}/responses`)
    expect([total, rows]).toMatchObject([
      1,
      [{ client: checksumAddress(client), responder: checksumAddress(owner), responseURI: 'ipfs://thanks' }],
    ])
  })

  test('is exported with its fields, exactly, as Parquet and CSV', async () => {
    const of = `schemaId=onchain_evm_${agentChain}_${feedbackSchemaId}&include=decoded`
    const { rawPayload } = await app.inject(`/scan/export/attestations.parquet?${of}`)
    const { buffer, byteOffset, byteLength } = rawPayload
    const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    const rows = await parquetReadObjects({ file })
    expect(
      rows.map(({ feedbackIndex, value, tag1, revoked }) => [feedbackIndex, value, tag1, revoked]),
    ).toEqual([
      [1n, '9950', 'quality', false],
      [2n, '-5', 'quality', false],
      [3n, '1', 'up\u202e\u0007', true],
      [4n, '1', 'eas', false],
      [5n, '1', 'eas', false],
    ])
    const csv = (await app.inject(`/scan/export/attestations.csv?${of}`)).body.split('\r\n')
    expect(csv[0]).toContain(',feedbackIndex,value,valueDecimals,tag1,tag2,endpoint,feedbackURI,feedbackHash')
    expect(csv[2]).toContain(',2,-5,1,quality,')
  })

  test('of reviewers that a policy allows comes with the number of the others', async () => {
    const data = await get(`${ada}/feedback?by=known&size=2`)
    expect(data).toMatchObject({ total: 3, by: { policy: 'known', leftOut: 2, unknown: 0 } })
    expect(data.rows.map(({ attester }) => attester)).toEqual([friend, friend].map(checksumAddress))
    const scores = await get(`${ada}/reputation?by=known`)
    expect(scores).toMatchObject({
      count: 4,
      reviewerCount: 2,
      average: '25.25',
      tags: [
        { tag: 'eas', count: 2, average: '1' },
        { tag: 'quality', count: 2, average: '49.5' },
      ],
      by: { policy: 'known', count: 2, reviewerCount: 1, average: '1', leftOut: 2 },
    })
  })

  test('of an agent without any adds up to nothing', async () => {
    expect(await get('/scan/agents/5:1/reputation')).toEqual({
      count: 0,
      reviewerCount: 0,
      average: null,
      tags: [],
      by: null,
      summary: null,
    })
  })

  test('is summarised for clients as the registry does', async () => {
    const two = `client[in]=${client},${friend}`
    const summary = async (query: string) =>
      ((await get(`/scan/agents/5:0/reputation?${query}`)) as unknown as { summary: unknown }).summary
    expect(await summary(two)).toEqual({ count: 4, value: '25', valueDecimals: 0 })
    expect(await summary(`client[in]=${JSON.stringify([friend])}&tag1=eas`)).toMatchObject({
      count: 2,
      value: '1',
    })
    expect(await summary(`client[in]=${client}&client[in]=${client}`)).toMatchObject({ count: 4 })
    expect(await summary(`client=${owner}`)).toEqual({ count: 0, value: '0', valueDecimals: 0 })
    const graphql = await app.inject({
      method: 'POST',
      url: '/graphql',
      payload: {
        query: `{ agent(id: "5:0") { summary(clients: ["${client}", "${friend}"]) { count value valueDecimals } } }`,
      },
    })
    expect(graphql.json()).toMatchObject({
      data: { agent: { summary: { count: 4, value: '25', valueDecimals: 0 } } },
    })
  })

  test.each([
    ['client[in]=', 'A summary needs clients'],
    ['tag1=quality', 'A summary needs clients'],
    ['client[in]=0x12', 'client[in] must be 0x followed by 40 hexadecimal digits'],
    ['client[in]=[1]', 'client[in] must be addresses with commas between them'],
    ['client[not]=0x12', "client takes client[in]=0x…,0x…; it was 'client[not]'."],
  ])('is not summarised for %s', async (query, message) => {
    const response = await app.inject(`/scan/agents/5:0/reputation?${query}`)
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  })

  test('is not summarised for too many clients', async () => {
    const clients = Array.from({ length: 251 }, () => owner).join(',')
    const response = await app.inject(`/scan/agents/5:0/reputation?client[in]=${clients}`)
    expect(response.json()).toMatchObject({ message: 'A summary takes up to 250 clients; it had 251.' })
  })

  test('with the greatest number of decimals and values is added up exactly', async () => {
    const other = await createSqliteTestStore()
    const writer = other.openWriter()
    const least = -(2n ** 127n)
    const give = (index: number, value: bigint, decimals: number) =>
      gave({ agentId: 1n, from: friend, index: 50 + index, value, decimals, tag1: '' })
    await fillAgents(writer, [give(1, least, 18), give(2, 2n ** 127n - 1n, 0), give(3, 1n, 255)])
    await writer.close()
    const server = createServer({ reader: other.openReader(), decodePayload: decodeAttestedPayload })
    const { data } = (await server.inject('/scan/agents/5:1/reputation')).json<{ data: Data }>()
    expect(data).toMatchObject({ count: 3, average: '56713727820156410520515373418471624665.104232' })
    const summary = await server.inject(`/scan/agents/5:1/reputation?client[in]=${friend}`)
    expect(summary.json()).toMatchObject({
      data: { summary: { count: 3, value: 'overflow', valueDecimals: 0 } },
    })
    await server.close()
    await other.remove()
  })
})

describe('a did:web', () => {
  test.each([
    ['https://agent.example.com', 'did:web:agent.example.com'],
    ['https://Example.com/agents/myAgent/', 'did:web:example.com:agents:myAgent'],
    ['https://example.com/.well-known/agent.json', 'did:web:example.com:.well-known:agent.json'],
    ['ipfs://x', null],
    ['https://', null],
  ])('of %s is %s', (url, did) => expect(didOfUrl(url)).toBe(did))

  test('has the same address in any case of its host alone', () => {
    expect(didAddress('did:web:Example.COM:Agents')).toBe(didAddress('did:web:example.com:Agents'))
    expect(didAddress('did:web:example.com:agents')).not.toBe(didAddress('did:web:example.com:Agents'))
    expect(didAddress('did:key:z6Mk')).toBeNull()
  })
})

describe('the validations of an agent', () => {
  const path = `/scan/agents/${encodeURIComponent(sampleAgentId(1n))}/validations`

  test('are its requests, newest first, with the newest response to each', async () => {
    const { total, rows } = await get(path)
    expect(total).toBe(2)
    expect(rows).toMatchObject([
      {
        requestHash: requestAt('b'),
        validator: checksumAddress(friend),
        status: 'pending',
        response: null,
        responseURI: '',
        responseHash: '',
        respondedTimestamp: '',
        attestationId: '',
      },
      {
        requestHash: requestAt('a'),
        requestURI: 'ipfs://work',
        status: 'completed',
        response: 95,
        responseURI: 'ipfs://report',
        tag: 'hard',
      },
    ])
    const id = String(rows[1]?.['attestationId'])
    const response = await app.inject(`/scan/attestations/${id}`)
    expect(response.json()).toMatchObject({ data: { attester: checksumAddress(friend) } })
    expect((await get(`${path}?page=2&size=1`)).rows).toMatchObject([{ requestHash: requestAt('a') }])
    expect(await get(`${ada}/validations`)).toMatchObject({
      total: 1,
      rows: [{ requestHash: requestAt('c') }],
    })
  })

  test('are those of a block', async () => {
    const [, first] = (await get(path)).rows
    const asked = Number(first?.['blockNumber'])
    const asOf = async (block: number) => (await get(`${path}?asOf=${agentChain}:${block}`)).rows
    expect(await asOf(asked - 1)).toEqual([])
    expect(await asOf(asked)).toMatchObject([{ requestHash: requestAt('a'), status: 'pending' }])
    expect(await asOf(asked + 2)).toMatchObject([{ status: 'pending' }, { response: 20, tag: 'soft' }])
  })
})
