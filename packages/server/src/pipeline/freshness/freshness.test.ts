import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import { describeDoubt, findDoubt, maxStalenessDefault } from '@attestry/core/model/chainDoubt.ts'
import type { ChainStatus, Defect } from '@attestry/core/model/chainState.ts'
import { localIdOfUid } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { aboutChains } from '../asOf/openView.ts'
import { createSampleIndex, sampleChain } from '../testing/sampleIndex.ts'
import { sampleAddress, sampleChainId, sampleHash, sampleSchema } from '../testing/sampleRecords.ts'
import { listenLocally } from '../testing/sendRaw.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createFreshness } from './createFreshness.ts'
import { formatBehind } from './formatBehind.ts'

const nowMs = 1_800_000_000_000
const lookedAt = unixMilliseconds(nowMs - 30_000)
/** At a third of its history. */
const late = sampleChain({
  phase: 'backfilling',
  headBlock: 300_000,
  updatedAt: lookedAt,
})
const fresh = sampleChain({ chainId: 10, name: 'OP Mainnet', updatedAt: lookedAt })
const findPublished = () => null
const contract = sampleAddress(7)
const behindHeader = `${sampleChainId}:100000:300000`

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index), now: () => unixMilliseconds(nowMs) })
let origin = ''
beforeEach(async () => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1, chains: [late, fresh] })
  origin ||= `http://127.0.0.1:${await listenLocally(app)}`
})
afterAll(() => app.close())

const id = (local: string, chainId = sampleChainId) => `onchain_evm_${chainId}_${local}`
const holder = sampleAddress(3)
const nobody = `0x${'9'.repeat(40)}`

async function headerOf(url: string, init?: RequestInit): Promise<string | null> {
  const response = await fetch(`${origin}${url}`, init)
  await response.arrayBuffer()
  return response.headers.get('x-attestry-behind')
}

async function post(url: string, body: unknown) {
  const response = await fetch(`${origin}${url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { message, data } = (await response.json()) as {
    readonly message: string
    readonly data: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  }
  return { status: response.status, behind: response.headers.get('x-attestry-behind'), message, data }
}

describe('while a chain is behind', () => {
  test.each([
    '/scan/attestations',
    '/scan/attestations?cursor=*',
    `/scan/attestations?schemaId=${id('0x1')}&recipient=${nobody}`,
    `/scan/attestations?chainId=${sampleChainId}`,
    `/scan/attestations/${id('0x1')}`,
    `/scan/attestations/${id('0xffff')}`,
    `/scan/attestations/by-ids?ids=${id('0xffff')}`,
    '/scan/schemas',
    `/scan/schemas/${id('0xffff')}`,
    `/scan/schemas/${id('0x1')}/activity`,
    '/scan/top-schemas',
    '/scan/trending-schemas',
    '/scan/latest-attestations',
    '/scan/search?keyword=0xffff',
    '/scan/stats',
    `/scan/aggregate/attestations?by=attester&schemaId=${id('0x1')}`,
    `/scan/addresses/${nobody}/statistics`,
    `/scan/addresses/${nobody}/attestations`,
    `/scan/addresses/${nobody}/schemas`,
    `/scan/addresses/${nobody}/activity`,
    `/scan/addresses/${nobody}/anchors`,
    '/scan/anchors',
    '/scan/agents',
    `/scan/transactions/0x${'ab'.repeat(32)}`,
    `/scan/attestations/${id('0xffff')}/proof`,
    '/scan/export/attestations.csv',
    '/scan/export/schemas.ndjson',
    '/index/attestations',
    `/index/attestations/${id('0xffff')}`,
    '/index/schemas',
    `/badge/${id('0x1')}.svg`,
    `/api/scan/attestations?attester=${nobody}`,
  ])('GET %s says so', async (url) => {
    expect(await headerOf(url)).toBe(behindHeader)
    expect(await headerOf(url, { method: 'HEAD' })).toBe(behindHeader)
  })

  test.each([
    '/scan/attestations?chainId=10',
    `/scan/attestations?schemaId=${id('0x1', 10)}`,
    `/scan/attestations/${id('0x1', 10)}`,
    '/scan/schemas?chainId=10',
    `/scan/addresses/${nobody}/attestations?chainId=10`,
    '/scan/export/attestations.ndjson?chainId=10',
    `/index/attestations/${id('0x1', 10)}`,
    '/scan/chains',
    '/scan/policies',
  ])('GET %s, which is not about it, does not', async (url) => {
    expect(await headerOf(url)).toBeNull()
  })

  test('an answer that depends on a second chain names it', async () => {
    expect(await headerOf(`/scan/attestations?chainId=10&recipientHolds=${id('0x1')}`)).toBe(behindHeader)
  })

  test('kept answers say so as well, by the present state of the chain', async () => {
    const url = '/scan/attestations?size=3'
    for (let round = 0; round < 3; round++) expect(await headerOf(url)).toBe(behindHeader)
    const behind = await fetch(`${origin}${url}`)
    const etag = behind.headers.get('etag') ?? ''
    const unchanged = await fetch(`${origin}${url}`, { headers: { 'if-none-match': etag } })
    expect([unchanged.status, unchanged.headers.get('x-attestry-behind')]).toEqual([304, behindHeader])
    // The same records, and nothing is missing any more: a 304 would leave the header in the client's copy.
    index.chains = [sampleChain({ updatedAt: lookedAt }), fresh]
    index.version++
    const whole = await fetch(`${origin}${url}`, { headers: { 'if-none-match': etag } })
    expect([whole.status, whole.headers.get('x-attestry-behind')]).toEqual([200, null])
    expect(await whole.text()).toBe(await behind.text())
    expect(whole.headers.get('etag')).not.toBe(etag)
  })

  test('scripts of other origins may read it', async () => {
    const { headers } = await fetch(`${origin}/scan/attestations`)
    expect(headers.get('access-control-expose-headers')).toContain('x-attestry-behind')
  })

  test('a record that is not found may exist, says its message', async () => {
    const response = await fetch(`${origin}/scan/attestations/${id('0xffff')}`)
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      404,
      `No attestation ${id('0xffff')} is indexed here; /scan/attestations lists those that are. It may exist ` +
        `nevertheless: The index of chain ${sampleChainId} is 100000000 s old, at block 100000 of 300000.`,
    ])
  })

  test('holders are unknown, with the reason', async () => {
    const asked = { addresses: [holder, nobody], schemaId: id('0x1') }
    const { data, behind } = await post('/scan/holders', asked)
    expect(behind).toBe(behindHeader)
    expect(data['rows']).toMatchObject([
      { verdict: 'unknown', attestation: expect.any(String) as unknown },
      { verdict: 'unknown', attestation: null },
    ])
    expect(data['chains']).toEqual([
      { chainId: '10', indexedBlock: 100_000, indexedTimestamp: 1_700_000_000, reason: null },
      {
        chainId: String(sampleChainId),
        indexedBlock: 100_000,
        indexedTimestamp: 1_700_000_000,
        reason: `The index of chain ${sampleChainId} is 100000000 s old; maxStaleness takes at most 600 s.`,
      },
    ])
    for (const maxStaleness of ['9999w', 200_000_000]) {
      const patient = await post('/scan/holders', { ...asked, maxStaleness })
      expect(patient.data['rows']).toMatchObject([{ verdict: 'yes' }, { verdict: 'no' }])
    }
    const then = await post('/scan/holders', { ...asked, validAt: 1_699_999_999 })
    expect(then.data['rows']?.map(({ verdict }) => verdict)).toEqual(['no', 'no'])
    const elsewhere = await post('/scan/holders', { ...asked, schemaId: id('0x1', 77) })
    expect(elsewhere.data['rows']?.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown'])
    expect(elsewhere.data['chains']).toContainEqual({
      chainId: '77',
      indexedBlock: null,
      indexedTimestamp: null,
      reason: 'Chain 77 is not indexed here.',
    })
    expect(elsewhere.behind).toBe('77:none:none')
    expect((await post('/scan/holders', { ...asked, maxStaleness: 'soon' })).message).toBe(
      "maxStaleness must be a number and a unit (s, m, h, d, w) such as 365d, but is 'soon'.",
    )
  })

  test('an unknown status has its reason', async () => {
    const { data, behind } = await post('/scan/attestations/status', { ids: [id('0xffff'), id('0x1', 10)] })
    expect(behind).toBe(behindHeader)
    expect(data['chains']?.map(({ chainId, reason }) => [chainId, reason])).toEqual([
      ['10', null],
      [String(sampleChainId), `The index of chain ${sampleChainId} is 100000000 s old.`],
    ])
  })

  test('GraphQL says so in its extensions, in one form for every root field', async () => {
    const ask = async (query: string) => {
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      const { data, extensions } = (await response.json()) as { data: unknown; extensions?: unknown }
      expect(data).toBeTruthy()
      return [extensions, response.headers.get('x-attestry-behind')]
    }
    const told = [{ attestry: { behind: [behindHeader] } }, behindHeader]
    for (const query of [
      `{ attestation(id: "${id('0xffff')}") { id } }`,
      `{ attestations(filter: { schemaId: "${id('0x1')}" }) { totalCount } }`,
      '{ pagedAttestations { total } }',
      '{ agents { totalCount } }',
      `{ here: schemas(filter: { chainId: "10" }) { totalCount } all: stats { schemaCount } }`,
    ]) {
      for (let round = 0; round < 3; round++) expect([query, ...(await ask(query))]).toEqual([query, ...told])
    }
    for (const query of [
      '{ __typename }',
      '{ chains { name } }',
      '{ attestations(filter: { chainId: "10" }) { totalCount } }',
      `{ attestation(id: "${id('0x1', 10)}") { id } }`,
    ]) {
      expect([query, ...(await ask(query))]).toEqual([query, undefined, null])
    }
  })

  test('a badge does not call a record valid, and still calls a revoked one revoked', async () => {
    const badge = async (local: string) => await (await fetch(`${origin}/badge/${id(local)}.svg`)).text()
    expect(await badge('0x5')).toContain('>unknown · index behind</text>')
    expect(await badge('0x5')).toMatch(/<title>Whether this attestation is valid is not known\. The index of/)
    expect(await badge('0x3')).toMatch(/>revoked · block/)
  })

  test('an answer as of an indexed block lacks nothing', async () => {
    expect(await headerOf(`/scan/attestations?asOf=${sampleChainId}:90000`)).toBeNull()
    expect(await headerOf(`/scan/attestations/${id('0x1')}?asOf=${sampleChainId}:90000`)).toBeNull()
  })
})

describe('a record of a protocol that its chain is not indexed for', () => {
  const uid = `0x${'ab'.repeat(32)}`
  const signOnly = sampleChain({ updatedAt: lookedAt })
  const easId = id(uid)
  const header = `${sampleChainId}:none:100000`
  const reason = `Chain ${sampleChainId} is indexed here for sign, not for eas or verax.`
  beforeEach(() => {
    index.chains = [signOnly, fresh]
  })

  test('makes verdicts unknown, not deny', async () => {
    const holds = { schema: easId, attester: [holder] }
    const judge = async (policy: object) => {
      const { data } = await post('/scan/gate', { policy, subjects: [nobody] })
      return data['rows']
    }
    expect(await judge({ holds })).toMatchObject([{ verdict: 'unknown', reasons: [reason] }])
    expect(await judge({ not: { holds } })).toMatchObject([{ verdict: 'unknown', reasons: [reason] }])
    // Counters are ids of Sign, which the chain is indexed for: no such schema is registered.
    expect(await judge({ holds: { ...holds, schema: id('0xffff') } })).toMatchObject([{ verdict: 'deny' }])
    const { data, behind } = await post('/scan/holders', { addresses: [nobody], schemaId: easId })
    expect([data['rows'], behind]).toMatchObject([[{ verdict: 'unknown' }], header])
    expect(data['chains']).toContainEqual(expect.objectContaining({ chainId: String(sampleChainId), reason }))
    const named = { addresses: [nobody], schemaId: id('0x1'), protocol: 'eas' }
    expect((await post('/scan/holders', named)).data['rows']).toMatchObject([{ verdict: 'unknown' }])
  })

  test('has an unknown status, with the reason', async () => {
    const { data, behind } = await post('/scan/attestations/status', { ids: [easId] })
    expect(behind).toBe(header)
    expect(data['chains']).toContainEqual(
      expect.objectContaining({ reason: reason.replace('eas or', 'eas or erc8004 or') }),
    )
    const known = await post('/scan/attestations/status', { ids: [id('0x1'), id('0xffff')] })
    expect(known.data['chains']?.map((chain) => chain['reason'])).toEqual([null, null])
  })

  test.each([
    `/scan/attestations?schemaId=${easId}`,
    `/scan/attestations?chainId=${sampleChainId}&protocol=eas`,
    `/scan/attestations?recipientHolds=${easId}&chainId=${sampleChainId}`,
    `/scan/attestations?linkedAttestation=${easId}`,
    `/scan/attestations/${easId}`,
    `/scan/attestations/${id('0x1')}?protocol=eas`,
    `/scan/attestations/by-ids?ids=${easId},${id('0x1')}`,
    `/scan/schemas/${easId}`,
    `/scan/schemas/${easId}/activity`,
    `/scan/aggregate/attestations?by=attester&schemaId=${easId}`,
    `/scan/attestations/${easId}/proof`,
    `/scan/export/attestations.csv?schemaId=${easId}`,
    `/index/schemas/${easId}`,
    `/index/attestations?schemaId=${easId}`,
    `/badge/${easId}.svg`,
  ])('is named by %s', async (url) => {
    expect(await headerOf(url)).toBe(header)
  })

  test.each([
    '/scan/attestations',
    `/scan/attestations?schemaId=${id('0x1')}`,
    `/scan/attestations?chainId=${sampleChainId}&protocol=sign`,
    `/scan/schemas/${id('0xffff')}`,
  ])('has nothing to do with %s', async (url) => {
    expect(await headerOf(url)).toBeNull()
  })

  test('is named by GraphQL', async () => {
    const query = `{ schema(id: "${easId}") { id } attestations(filter: { schemaId: "${easId}" }) { totalCount } }`
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
    expect(answer.json<object>()).toMatchObject({ extensions: { attestry: { behind: [header] } } })
  })
})

describe('an unknown record of a chain that is not indexed for each protocol with such ids', () => {
  const uid = `0x${'ab'.repeat(32)}`
  const easOnly = sampleChain({ updatedAt: lookedAt, protocols: ['eas'] })
  const header = `${sampleChainId}:none:100000`
  const elsewhere = createServer({
    reader: openTestIndex(index),
    now: () => unixMilliseconds(nowMs),
    findPublished: (_chainId, protocol) => (protocol === 'verax' ? { contract, startBlock: null } : null),
  })
  afterAll(() => elsewhere.close())
  const known = sampleHash(99)
  beforeEach(() => {
    index.chains = [easOnly, fresh]
    const key = { chainId: sampleChainId, localId: localIdOfUid(known) }
    index.schemas = [...index.schemas, sampleSchema(99, { key, protocol: 'eas' })]
  })
  const told = async (url: string) => (await elsewhere.inject({ url })).headers['x-attestry-behind']

  test.each([
    `/scan/attestations?schemaId=${id(uid)}`,
    `/scan/attestations?linkedAttestation=${id(uid)}`,
    `/scan/attestations/${id(uid)}`,
    `/scan/schemas/${id(uid)}`,
    `/index/attestations?schemaId=${id(uid)}`,
    `/scan/export/attestations.csv?schemaId=${id(uid)}`,
    `/badge/${id(uid)}.svg`,
  ])('%s says so', async (url) => {
    expect(await told(url)).toBe(header)
  })

  test.each([`/scan/attestations?schemaId=${id(known)}`, `/scan/schemas/${id(known)}`, '/scan/attestations'])(
    '%s has nothing to say',
    async (url) => {
      expect(await told(url)).toBeUndefined()
    },
  )

  test('GraphQL says so as well', async () => {
    const ask = async (schema: string) => {
      const query = `{ attestations(filter: { schemaId: "${id(schema)}" }) { totalCount } }`
      const answer = await elsewhere.inject({ method: 'POST', url: '/graphql', payload: { query } })
      return answer.json<{ extensions?: object }>().extensions
    }
    expect(await ask(uid)).toMatchObject({ attestry: { behind: [header] } })
    expect(await ask(known)).toBeUndefined()
  })
})

describe('asOf', () => {
  test('of one chain beside a filter by another one is refused', async () => {
    const message =
      'asOf names a block of chain 10, and the question is about chain 11155111; give a block of that chain, or a time ' +
      'in Unix seconds, which counts on every chain.'
    for (const url of [
      `/scan/attestations?asOf=10:5&chainId=${sampleChainId}`,
      `/scan/attestations?asOf=10:5&schemaId=${id('0x1')}`,
      `/scan/attestations?asOf=10:5&chainId=10&recipientHolds=${id('0x1')}`,
      `/scan/schemas?asOf=10:5&network=${sampleChainId}`,
      `/scan/aggregate/attestations?by=day&asOf=10:5&chainId=${sampleChainId}`,
      `/scan/addresses/${nobody}/attestations?asOf=10:5&chainId=${sampleChainId}`,
    ]) {
      const response = await fetch(`${origin}${url}`)
      const told = ((await response.json()) as { message: string }).message
      expect([url, response.status, told]).toEqual([url, 400, message])
    }
    const body = { addresses: [nobody], schemaId: id('0x1'), asOf: '10:5' }
    expect(await post('/scan/holders', body)).toMatchObject({ status: 400, message })
    const query = `{ attestations(filter: { chainId: "${sampleChainId}" }, asOf: "10:5") { totalCount } }`
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
    expect(answer.json<object>()).toMatchObject({ errors: [{ message }] })
  })

  test('belongs into the body of a path that has one', async () => {
    for (const url of ['/scan/holders', '/scan/attestations/status', '/scan/gate']) {
      const body = { addresses: [nobody], schemaId: id('0x1') }
      expect(await post(`${url}?asOf=10:5`, body)).toMatchObject({
        status: 400,
        message: "'asOf' is no parameter of this path: asOf is a member of its body; send it there.",
      })
    }
  })
})

describe('a chain is behind', () => {
  const present = { findPresent: () => Promise.resolve([]) }
  const overviewOf = (status: ChainStatus, defect: Defect | null = null) =>
    ({ status, defect, contracts: [], rewindTo: null }) as unknown as ChainOverview
  const behindOf = async (chains: readonly ChainOverview[], about: readonly number[] | null = null) => {
    const freshness = createFreshness({
      reader: { ...present, listChains: () => Promise.resolve(chains) },
      now: () => unixMilliseconds(nowMs),
      chainIds: [10, 77],
      findPublished,
    })
    return formatBehind(await (await freshness.at(1)).behind(aboutChains(about)))
  }

  test.each<[string, Partial<ChainStatus>, string | null]>([
    ['at its head', {}, null],
    ['while the indexer is dead', { updatedAt: unixMilliseconds(nowMs - 601_000) }, '10:100000:100000'],
    ['for a moment', { headBlock: 100_003, indexedTimestamp: unixSeconds(nowMs / 1_000 - 600) }, null],
    ['stopped', { phase: 'stopped' }, '10:100000:100000'],
    ['without the configuration', { phase: 'paused', updatedAt: null, headBlock: null }, '10:100000:none'],
    [
      'before its first block',
      { phase: 'starting', indexedBlock: null, indexedTimestamp: null },
      '10:none:100000',
    ],
  ])('%s', async (_when, oddities, expected) => {
    expect(await behindOf([overviewOf({ ...fresh, ...oddities })], [10])).toBe(expected)
  })

  test('of which records are known to be missing, up to the last block before them', async () => {
    const defect = { fromBlock: 50, toBlock: 60, text: 'x' }
    expect(await behindOf([overviewOf(fresh, defect)], [10])).toBe('10:49:100000')
    expect(await behindOf([overviewOf(fresh, { ...defect, fromBlock: null })], [10])).toBe('10:none:100000')
  })

  test('that is configured, or asked about, and not indexed', async () => {
    expect(await behindOf([overviewOf(fresh)])).toBe('77:none:none')
    expect(await behindOf([overviewOf(fresh)], [5])).toBe('5:none:none')
    expect(await behindOf([])).toBe('10:none:none, 77:none:none')
    const many = Array.from({ length: 10_000 }, (_, chainId) => chainId + 1)
    expect((await behindOf([], many))?.length).toBeLessThan(2_000)
  })

  test('and of a past moment only where it was not reached, or something is missing before it', () => {
    const needed = {
      now: unixMilliseconds(nowMs),
      maxStaleness: maxStalenessDefault,
      record: null,
      findPublished,
    }
    const doubt = (
      moment: Parameters<typeof findDoubt>[1]['moment'],
      defect: Defect | null = null,
      rewindTo: number | null = null,
    ) => findDoubt({ status: late, defect, contracts: [], rewindTo }, { ...needed, moment })?.kind ?? null
    expect(doubt(null)).toBe('old')
    expect(doubt({ kind: 'block', number: 90_000 })).toBeNull()
    expect(doubt({ kind: 'time', at: 1_700_000_000 })).toBeNull()
    expect(doubt({ kind: 'time', at: 1_700_000_001 })).toBe('before')
    const defect = { fromBlock: 50, toBlock: null, text: 'x' }
    expect(doubt({ kind: 'block', number: 49 }, defect)).toBeNull()
    expect(doubt({ kind: 'block', number: 50 }, defect)).toBe('defective')
    expect(doubt({ kind: 'time', at: 1_600_000_000 }, defect)).toBe('defective')
    expect(doubt({ kind: 'block', number: 50 }, null, 50)).toBeNull()
    expect(doubt({ kind: 'block', number: 51 }, null, 50)).toBe('rewound')
    expect(doubt({ kind: 'time', at: 1_600_000_000 }, null, 50)).toBe('rewound')
  })

  test('for records of another protocol, and of a contract that is not reached', () => {
    const at = { ...fresh, protocols: ['eas'] }
    const doubt = (
      record: Parameters<typeof findDoubt>[1]['record'],
      { deployed = [], startBlock = 1 }: { deployed?: string[]; startBlock?: number } = {},
      moment: Parameters<typeof findDoubt>[1]['moment'] = null,
    ) =>
      findDoubt(
        {
          status: at,
          defect: null,
          contracts: [{ protocol: 'eas', address: contract, startBlock }],
          rewindTo: null,
        },
        {
          now: unixMilliseconds(nowMs),
          maxStaleness: maxStalenessDefault,
          moment,
          record,
          findPublished: (_chainId, protocol) =>
            deployed.includes(protocol) ? { contract, startBlock: null } : null,
        },
      )?.kind ?? null
    const either = { protocols: ['eas', 'verax'], isIndexed: false }
    expect(doubt({ protocols: ['sign'], isIndexed: false })).toBe('otherProtocol')
    // Verax is not on the chain, so that an unknown id is nobody's.
    expect(doubt(either)).toBeNull()
    expect(doubt(either, { deployed: ['verax'] })).toBe('otherProtocol')
    expect(doubt(either, { deployed: ['verax'] }, { kind: 'block', number: 5 })).toBe('otherProtocol')
    expect(doubt({ ...either, isIndexed: true }, { deployed: ['verax'] })).toBeNull()
    for (const record of [null, either, { ...either, isIndexed: true }])
      expect(doubt(record, { startBlock: 100_001 })).toBe('unread')
    // Nothing of the contract is as old.
    expect(doubt(either, { startBlock: 100_001 }, { kind: 'block', number: 90_000 })).toBeNull()
  })

  test('for an unknown record of a contract that is read from a later block on than its first one', () => {
    const doubt = (isIndexed: boolean, address = contract, startBlock: number | null = 50_000) =>
      findDoubt(
        {
          status: { ...fresh, protocols: ['eas'] },
          defect: null,
          contracts: [{ protocol: 'eas', address: contract, startBlock: 60_000 }],
          rewindTo: null,
        },
        {
          now: unixMilliseconds(nowMs),
          maxStaleness: maxStalenessDefault,
          moment: null,
          record: { protocols: ['eas', 'verax'], isIndexed },
          findPublished: (_chainId, protocol) =>
            protocol === 'eas' ? { contract: address, startBlock } : null,
        },
      )
    const found = { kind: 'late', protocol: 'eas', startBlock: 60_000, publishedBlock: 50_000 } as const
    expect(doubt(false)).toEqual(found)
    expect(describeDoubt(10, found)).toBe(
      'Chain 10 is indexed for eas from block 60000 on; its contract has records from block 50000 on.',
    )
    // A schema that is indexed was registered before all of its attestations.
    expect(doubt(true)).toBeNull()
    expect(doubt(false, contract, 60_000)).toBeNull()
    expect(doubt(false, contract, null)).toBeNull()
    expect(doubt(false, sampleAddress(8))).toBeNull()
  })

  test('and is to be read again because its contracts changed', async () => {
    const rewound = (rewindTo: number) => [{ ...overviewOf(fresh), rewindTo }]
    expect(await behindOf(rewound(7), [10])).toBe('10:7:100000')
    expect(await behindOf(rewound(-1), [10])).toBe('10:none:100000')
    expect(describeDoubt(10, { kind: 'rewound', fromBlock: 8 })).toBe(
      'The contracts of chain 10 have changed: it is to be read again from block 8 on.',
    )
  })

  test('by states that are read again once the index has changed', async () => {
    let reads = 0
    const reader = {
      ...present,
      listChains: () => Promise.resolve([overviewOf(reads++ === 0 ? late : fresh)]),
    }
    const freshness = createFreshness({
      reader,
      now: () => unixMilliseconds(nowMs),
      chainIds: [],
      findPublished,
    })
    expect(await (await freshness.at(1)).behind(null)).toHaveLength(1)
    expect(await (await freshness.at(2)).behind(null)).toHaveLength(0)
    const failing = createFreshness({
      reader: {
        ...present,
        listChains: () => (reads++ < 3 ? Promise.reject(new Error('away')) : reader.listChains()),
      },
      now: () => unixMilliseconds(nowMs),
      chainIds: [],
      findPublished,
    })
    await expect(failing.at(1)).rejects.toThrow('away')
    expect(await (await failing.at(1)).behind(null)).toHaveLength(0)
  })
})
