import { serveVerax } from '@attestry/subgraphs/verax/serveVerax.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { formatCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import {
  addresses,
  attestationId,
  blockTimestamp,
  generateBlocks,
  schemaId,
  steps,
  type GeneratedBlock,
} from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { decodeTestPayload, testFieldIndexingOf } from '@attestry/store/testing/testPayloads.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { listenLocally } from '../testing/sendRaw.ts'
import { createServer, type TestServerOptions } from '../../testing/createServer.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'
import type { ReadBlock } from './resolveBlock.ts'

const one: ChainId = 5
const two: ChainId = 137

/** A chain that never goes back in time; two blocks share each second. */
function grow(chainId: ChainId, seed: number): readonly GeneratedBlock[] {
  const life = fc.sample(steps(80), { numRuns: 6, seed }).flat().slice(0, 220)
  return generateBlocks(
    chainId,
    [],
    // Every tenth event registers a portal or a module, or sets the context of a schema.
    life.map((step, index) =>
      index % 10 === 3 ? { ...step, kind: 5, what: 4 } : { ...step, what: step.what % 98 },
    ),
    'a',
  )
}

const chains = new Map([
  [one, grow(one, 11)],
  [two, grow(two, 12)],
])
const block = 120
const time = blockTimestamp(block)

interface Opened {
  readonly app: ReturnType<typeof createServer>
  readonly reader: IndexReader
  close(): Promise<void>
}

async function open(
  content: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  {
    nowSeconds,
    rememberedFrom = 0,
    ...options
  }: { readonly nowSeconds: number; readonly rememberedFrom?: number } & TestServerOptions,
): Promise<Opened> {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 3 })
  const writer = openSqliteWriter(path, { fields: testFieldIndexingOf('all') })
  for (const [chainId, blocks] of content) {
    const identity = identityOf(chainId)
    const contracts = [
      ...identity.contracts,
      ...identity.contracts.map((each) => ({ ...each, protocol: 'eas' })),
    ]
    await writer.openChain({ ...identity, contracts })
    await writer.applyBlocks(chainId, { ...batchOf(blocks), forgetBlocksBelow: rememberedFrom })
  }
  await writer.close()
  const reader = openSqliteReader(path, { decodePayload: decodeTestPayload })
  const now = () => unixMilliseconds(nowSeconds * 1_000)
  const app = createServer({
    reader,
    now,
    readHeader,
    decodePayload: decodeTestPayload,
    listFieldPaths,
    // The records of this protocol have portals and contexts.
    wings: [serveVerax({ protocol: { name: 'sign', networks: new Map(), decodeSubject: () => null } })],
    ...options,
  })
  const close = async () => {
    await app.close()
    await reader.close()
    await remove()
  }
  return { app, reader, close }
}

/** Endpoints that know only the blocks of the first chain. */
let headersRead = 0
async function readHeader(
  chainId: ChainId,
  wanted: { readonly number: number } | { readonly hash: string },
): Promise<ReadBlock> {
  headersRead++
  if (chainId !== one) return { kind: 'unreachable' }
  const found = chains
    .get(one)
    ?.find((each) => ('number' in wanted ? each.number === wanted.number : each.hash === wanted.hash))
  if (found === undefined) return { kind: 'none' }
  const { number, hash, timestamp } = found
  return { kind: 'found', block: { number, hash, timestamp } }
}

let whole: Opened
/** Remembers no block below the moment. */
let old: Opened
let stopped: Opened
let stoppedAtTime: Opened

beforeAll(async () => {
  const upTo = (isCounted: (each: GeneratedBlock) => boolean) =>
    new Map([...chains].map(([chainId, blocks]) => [chainId, blocks.filter(isCounted)] as const))
  whole = await open(chains, { nowSeconds: 2 ** 34 })
  old = await open(chains, { nowSeconds: 2 ** 34, rememberedFrom: block + 20 })
  const first = new Map([[one, (chains.get(one) ?? []).slice(0, block + 1)]])
  stopped = await open(first, { nowSeconds: time })
  stoppedAtTime = await open(
    upTo(({ timestamp }) => timestamp <= time),
    { nowSeconds: time },
  )
})
afterAll(async () => {
  for (const opened of [whole, old, stopped, stoppedAtTime]) await opened.close()
})

const id = (chainId: ChainId, index: number) => formatCompositeId({ chainId, localId: attestationId(index) })
const ofSchema = (chainId: ChainId, index: number) => formatCompositeId({ chainId, localId: schemaId(index) })
const indexes = Array.from({ length: 40 }, (_, index) => index)
const [address = '0x'] = addresses

/** Questions with the answers of an index that stopped there, as paths and queries. */
const questions: readonly string[] = [
  ...indexes.flatMap((index) => [
    `/scan/attestations/${id(one, index)}?`,
    `/scan/attestations/${id(one, index)}?include=decoded&protocol=eas`,
  ]),
  ...indexes
    .slice(0, 9)
    .flatMap((index) => [
      `/scan/schemas/${ofSchema(one, index)}?`,
      `/scan/schemas/${ofSchema(one, index)}?protocol=eas`,
      `/scan/attestations?schemaId=${ofSchema(one, index)}&size=3&page=2`,
    ]),
  `/scan/attestations/by-ids?ids=${JSON.stringify(indexes.map((index) => id(one, index)))}`,
  `/scan/schemas/by-ids?ids=${JSON.stringify(indexes.slice(0, 9).map((index) => ofSchema(one, index)))}`,
  '/scan/attestations?',
  '/scan/attestations?page=2&size=7&fields=detail',
  '/scan/attestations?cursor=*&size=5&include=revocation',
  '/scan/attestations?revoked=true',
  '/scan/attestations?revoked=false&size=100',
  '/scan/attestations?expired=true',
  '/scan/attestations?expired=false&attestedFrom=1700010000',
  `/scan/attestations?validAt=${time - 4_000}&size=100`,
  `/scan/attestations?attester=${address}&size=100`,
  `/scan/attestations?recipient=${address}&size=100&protocol=eas`,
  `/scan/attestations?recipientHolds=${ofSchema(one, 0)}&size=100`,
  '/scan/schemas?',
  '/scan/schemas?size=2&page=2',
  '/scan/schemas?revocable=true',
  `/scan/schemas?registrant=${address}`,
  ...addresses.flatMap((each) => [
    `/scan/addresses/${each}/statistics?`,
    `/scan/addresses/${each}/schemas?`,
    `/scan/addresses/${each}/attestations?size=5&page=2`,
    `/scan/addresses/${each}/attestations?type=received&schemaId=${ofSchema(one, 0)}`,
    `/scan/addresses/${each}/attestations?attester=${address}`,
    `/scan/addresses/${each}/activity?`,
  ]),
  '/scan/stats?',
  '/scan/stats?from=2023-11-15',
  `/scan/schemas/${ofSchema(one, 0)}/activity?`,
  ...['schema', 'attester', 'recipient', 'chain', 'protocol', 'revoked', 'day', 'month'].flatMap((by) => [
    `/scan/aggregate/attestations?by=${by}`,
    `/scan/aggregate/attestations?by=${by}&schemaId=${ofSchema(one, 0)}`,
    `/scan/aggregate/attestations?by=${by}&attester=${address}&revoked=true`,
  ]),
  `/scan/aggregate/attestations?by=field[level]&schemaId=${ofSchema(one, 0)}`,
  `/scan/attestations?field[level]=1&schemaId=${ofSchema(one, 0)}`,
]

/** Members that tell when a record was stored, of a list or a record. */
function timeless(value: unknown): unknown {
  const told = new Set(['syncAt', 'lastSyncAt'])
  return JSON.parse(JSON.stringify(value, (name, member: unknown) => (told.has(name) ? 0 : member)))
}

async function ask(opened: Opened, url: string) {
  const response = await opened.app.inject(url)
  const { data, message } = response.json<{ data: unknown; message: string }>()
  return { status: response.statusCode, data: timeless(data), message, headers: response.headers }
}

async function post(opened: Opened, url: string, body: unknown) {
  const response = await opened.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  const { data, message } = response.json<{ data: Record<string, unknown>; message: string }>()
  return { status: response.statusCode, data, message, headers: response.headers }
}

describe('as of a moment', () => {
  test('the chains have blocks on both sides, and so do the records', async () => {
    expect([...chains.values()].every(({ length }) => length > block + 40)).toBe(true)
    const totalOf = async (opened: Opened) => (await opened.reader.listTotals())[0]?.attestationCount ?? 0
    expect(await totalOf(stopped)).toBeGreaterThan(20)
    expect(await totalOf(whole)).toBeGreaterThan((await totalOf(stopped)) + 20)
  })

  test('every answer is that of an index that stopped at the block', async () => {
    for (const question of questions) {
      const expected = await ask(stopped, question)
      for (const opened of [whole, old]) {
        const found = await ask(opened, `${question}&asOf=${one}:${block}`)
        expect([question, found.status, found.data]).toEqual([question, expected.status, expected.data])
      }
    }
  })

  test('every answer is that of an index that stopped at the time, on all chains', async () => {
    for (const question of questions) {
      const expected = await ask(stoppedAtTime, question)
      const found = await ask(whole, `${question}&asOf=${time}`)
      expect([question, found.status, found.data]).toEqual([question, expected.status, expected.data])
    }
  })

  test('statuses and holders are those of an index that stopped there', async () => {
    const ids = indexes.flatMap((index) => [id(one, index), id(two, index)])
    const holders = { addresses, schemaId: ofSchema(one, 0) }
    for (const [asOf, then] of [
      [`${one}:${block}`, stopped],
      [String(time), stoppedAtTime],
    ] as const) {
      const statuses = await post(whole, '/scan/attestations/status', { ids, asOf })
      const expected = await post(then, '/scan/attestations/status', { ids })
      expect(statuses.data['rows']).toEqual(expected.data['rows'])
      const held = (data: Readonly<Record<string, unknown>>) =>
        (data['rows'] as readonly { readonly attestation: string | null }[]).map((row) => row.attestation)
      const { data } = await post(whole, '/scan/holders', { ...holders, asOf })
      expect(held(data)).toEqual(held((await post(then, '/scan/holders', holders)).data))
      expect(data['rows']).not.toContainEqual(expect.objectContaining({ verdict: 'unknown' }))
    }
  })

  test('GraphQL answers as of a moment, with all that stands below a field', async () => {
    const record = '{ attestationId revoked revokeTimestamp schema { name attestationCount attesterCount } }'
    const fields = (asOf: string) => `
      attestation(id: "${id(one, 3)}"${asOf}) ${record}
      schema(id: "${ofSchema(one, 0)}"${asOf}) { name attestationCount topAttesters { address count }
        attestations(first: 3) { totalCount nodes ${record} } activity { date attestations } }
      pagedAttestations(size: 30${asOf}) { total attestations ${record} }
      pagedSchemas(size: 5${asOf}) { total schemas { name context attestationCount } }
      attestations(filter: { revoked: true, expired: false }, first: 20${asOf}) { totalCount nodes ${record} }
      schemas(first: 5${asOf}) { totalCount nodes { name attesterCount } }
      attestationGroups(by: "revoked"${asOf}) { total rows { key count } }
      address(address: "${address}"${asOf}) { schemaCreated totalAttestations attestationReceived
        created(first: 2) { totalCount nodes ${record} } activity { date received schemas } }`
    const stats = (asOf: string) => `stats${asOf} { attestationCount schemaCount revocationCount }`
    const query = async ({ app }: Opened, text: string) => {
      const headers = { 'content-type': 'application/json' }
      const payload = JSON.stringify({ query: `{ ${text} }` })
      return (await app.inject({ method: 'POST', url: '/graphql', headers, payload })).json<{
        data: unknown
        errors?: readonly { readonly message: string }[]
      }>()
    }
    for (const [asOf, then] of [
      [`${one}:${block}`, stopped],
      [String(time), stoppedAtTime],
    ] as const) {
      const found = await query(whole, fields(`, asOf: "${asOf}"`) + stats(`(asOf: "${asOf}")`))
      expect(found).toEqual(await query(then, fields('') + stats('')))
      expect(found.errors).toBeUndefined()
    }
    const mixed = await query(
      whole,
      `past: pagedAttestations(asOf: "${one}:${block}") { total } now: pagedAttestations { total }`,
    )
    expect(mixed.data).toEqual({
      past: { total: await stopped.reader.countAttestations(everyAttestation) },
      now: { total: await whole.reader.countAttestations(everyAttestation) },
    })
    // An id of no chain beside it: the same moment of no chain is another state.
    const besideUnknown = await query(
      whole,
      `unknown: attestation(id: "SPA_x", asOf: "${time}") { id } all: pagedAttestations(asOf: "${time}") { total }`,
    )
    expect(besideUnknown.data).toEqual({
      unknown: null,
      all: { total: await stoppedAtTime.reader.countAttestations(everyAttestation) },
    })
    const { errors } = await query(whole, `schema(id: "${ofSchema(one, 0)}", asOf: "${one}:99999") { name }`)
    expect(errors?.[0]?.message).toContain('is not indexed yet')
  })

  test("Verax's subgraph answers as of a block, with its contexts and portals", async () => {
    const attestation = `{ id attester subject revoked revocationDate replacedBy decodedData
      schema { id name context attestationCounter } portal { id name attestationCounter }
      auditInformation { modifications { id blockNumber } } }`
    const fields = (given: string) => `
      attestations(first: 100${given}) ${attestation}
      revoked: attestations(first: 100, where: { revoked: true }, orderBy: attestedDate${given}) ${attestation}
      schemas(first: 50, orderBy: attestationCounter${given}) { id name context attestationCounter }
      portals(first: 50${given}) { id name attestationCounter } modules(first: 50${given}) { id name }`
    const query = async ({ app }: Opened, text: string) => {
      const headers = { 'content-type': 'application/json' }
      const payload = JSON.stringify({ query: `{ ${text} }` })
      return (
        await app.inject({ method: 'POST', url: `/verax/${one}/graphql`, headers, payload })
      ).json<unknown>()
    }
    const expected = await query(stopped, fields(''))
    expect(expected).toMatchObject({ data: { portals: expect.arrayContaining([expect.anything()]) } })
    const hash = chains.get(one)?.[block]?.hash ?? ''
    for (const opened of [whole, old]) {
      for (const at of [`{ number: ${block} }`, `{ hash: "${hash}" }`]) {
        expect(await query(opened, fields(`, block: ${at}`))).toEqual(expected)
      }
    }
    expect(
      await query(whole, `_meta(block: { hash: "${hash}" }) { block { number hash timestamp } }`),
    ).toEqual({
      data: { _meta: { block: { number: block, hash, timestamp: time } } },
    })
  })

  test('a record says up to which block of its chain it is true', async () => {
    const [first] = indexes
    const url = `/scan/attestations/${id(one, first ?? 0)}`
    const hashOf = (number: number) => chains.get(one)?.[number]?.hash
    const newest = (chains.get(one)?.length ?? 0) - 1
    expect((await ask(whole, url)).headers['x-attestry-as-of']).toBe(`${one}:${newest}:${hashOf(newest)}`)
    const at = `${one}:${block}:${hashOf(block)}`
    for (const asOf of [`${one}:${block}`, `${one}:${hashOf(block)}`]) {
      expect((await ask(whole, `${url}?asOf=${asOf}`)).headers['x-attestry-as-of']).toBe(at)
      // The block is no longer remembered: its header is read.
      expect((await ask(old, `${url}?asOf=${asOf}`)).headers['x-attestry-as-of']).toBe(at)
    }
    expect(headersRead).toBeGreaterThan(0)
    const status = await post(whole, '/scan/attestations/status', {
      ids: [id(one, 0)],
      asOf: `${one}:${block}`,
    })
    expect(status.headers['x-attestry-as-of']).toBe(at)
    expect(status.headers['access-control-expose-headers']).toContain('x-attestry-as-of')
  })

  test('a mistake is answered with one sentence', async () => {
    const newest = (chains.get(one)?.length ?? 0) - 1
    const url = `/scan/attestations/${id(one, 0)}`
    const refusals: readonly (readonly [string, number, string])[] = [
      [
        `${url}?asOf=${one}:${newest + 1}`,
        409,
        `Block ${newest + 1} of chain ${one} is not indexed yet; the newest indexed block is ${newest}.`,
      ],
      [`${url}?asOf=${one}:0x${'ab'.repeat(32)}`, 412, `Chain ${one} has no block with this hash.`],
      [
        `${url}?asOf=${two}:0x${'ab'.repeat(32)}`,
        412,
        `No block with this hash is among the newest blocks of chain ${two} that are indexed; name the block by its number.`,
      ],
      [`${url}?asOf=9:1`, 400, 'asOf must name an indexed chain; chain 9 is not indexed here.'],
      [
        `${url}?asOf=yesterday`,
        400,
        "asOf must be <chainId>:<block number>, <chainId>:<block hash> or Unix seconds; it was 'yesterday'.",
      ],
      [`${url}?asOf=${time}&wait=3`, 400, 'asOf and wait do not go together; leave one of them out.'],
      [
        `/scan/attestations?keyword=x&asOf=${time}`,
        400,
        'asOf and keyword do not go together; leave one of them out.',
      ],
      [
        `/scan/top-schemas?asOf=${time}`,
        400,
        "'asOf' is no parameter of this path, which answers from the newest state alone; leave it out.",
      ],
      [
        `${url}?asOf=${blockTimestamp(newest + 4)}`,
        409,
        `The index of chain ${one} has not reached the time ${blockTimestamp(newest + 4)} yet; the newest indexed block is ${newest}.`,
      ],
      [
        `/scan/attestations/onchain_evm_9_0x1?asOf=${time}`,
        404,
        `There was no attestation onchain_evm_9_0x1 as of the time ${time}.`,
      ],
      [
        `/scan/attestations/${id(two, 0)}?asOf=${one}:${block}`,
        404,
        `There was no attestation ${id(two, 0)} as of block ${block} of chain ${one}.`,
      ],
    ]
    for (const [asked, status, message] of refusals) {
      expect(await ask(whole, asked)).toMatchObject({ status, message })
    }
  })

  test('a block of unknown time refuses expiry, and revocations that the time decides', async () => {
    const unknownTime = (what: string) => ({
      status: 400,
      message: expect.stringMatching(`^What ${what} at block .* give asOf in Unix seconds.$`),
    })
    const byPosition = await ask(old, `/scan/attestations?chainId=${two}&asOf=${two}:1`)
    expect(byPosition.status).toBe(200)
    expect(await ask(old, `/scan/attestations?expired=true&asOf=${two}:1`)).toMatchObject(
      unknownTime('has expired'),
    )
    // A record's read claimed a revocation around block 27; its event came later.
    const [asOf, filter] = [`${two}:27`, `chainId=${two}&revoked=true`]
    const unjudged = unknownTime('was revoked')
    for (const url of ['attestations?', 'aggregate/attestations?by=attester&']) {
      const answer = await ask(old, `/scan/${url}${filter}&asOf=${asOf}`)
      expect([url, answer]).toMatchObject([url, unjudged])
    }
    const ids = indexes.map((index) => id(two, index))
    expect(await post(old, '/scan/attestations/status', { ids, asOf })).toMatchObject({ status: 400 })
    const response = await old.app.inject({
      method: 'POST',
      url: '/graphql',
      payload: { query: `{ stats(asOf: "${asOf}") { revocationCount } }` },
    })
    expect(response.json()).toMatchObject({ errors: [{ message: unjudged.message }] })
    expect((await ask(old, `/scan/attestations?chainId=${two}&revoked=true&asOf=${two}:26`)).status).toBe(200)
    expect((await ask(old, `/scan/schemas?chainId=${two}&asOf=${asOf}`)).status).toBe(200)
  })

  test('an answer from before the first record is empty, and says why', async () => {
    const { data, message, status } = await ask(whole, '/scan/attestations?asOf=1000')
    expect([status, data]).toEqual([200, { total: 0, rows: [], page: 1, size: 10 }])
    expect(message).toBe(
      `Nothing of chain ${one} is indexed up to the time 1000. Nothing of chain ${two} is indexed up to the time 1000.`,
    )
  })
})

test('a client that has used its share of headers gets Retry-After, and another client is answered', async () => {
  const shares = createFairShares({ total: 16, windowMs: 60_000, refusal: 'Too many.', nowMs: () => 0 })
  const { app, close } = await open(chains, {
    nowSeconds: 2 ** 34,
    rememberedFrom: block + 20,
    trustProxy: ['loopback'],
    readHeader: async (chainId, wanted) => {
      shares.take()
      return await readHeader(chainId, wanted)
    },
  })
  const origin = `http://127.0.0.1:${await listenLocally(app)}`
  const ask = async (client: string, path: string, body?: unknown) => {
    const { status, headers } = await fetch(`${origin}${path}`, {
      headers: { 'x-forwarded-for': client, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return [status, headers.get('retry-after')]
  }
  const list = (number: number) => `/scan/attestations?size=1&asOf=${one}:${number}`
  const judge = { policy: { holds: { schema: ofSchema(one, 1), attester: 'any' } }, subjects: [address] }
  const verdict = { ...judge, asOf: `${one}:${block}` }
  for (const number of [10, 11, 12]) expect(await ask('192.0.2.1', list(number))).toEqual([200, null])
  expect(await ask('192.0.2.1', list(13))).toEqual([503, '25'])
  expect(await ask('192.0.2.1', '/scan/gate', verdict)).toEqual([503, '25'])
  expect(await ask('192.0.2.2', '/scan/gate', verdict)).toEqual([200, null])
  expect(await ask('192.0.2.2', list(13))).toEqual([200, null])
  await close()
})
