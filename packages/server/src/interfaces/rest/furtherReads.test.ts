import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { createServer, type TestServerOptions } from '../../testing/createServer.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { createSampleIndex, sampleChain } from '../../pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleContract,
  sampleSchema,
} from '../../pipeline/testing/sampleRecords.ts'

/** Reads beyond the published endpoints, over arrays of 12 schemas and 25 attestations. */

const index = createSampleIndex()
let nowMs = 1_800_000_000_000
const reader: IndexReader = openTestIndex(index)
let listAttestations = reader.listAttestations
const options = {
  reader: { ...reader, listAttestations: (...given) => listAttestations(...given) } satisfies IndexReader,
  decodePayload: decodeAttestedPayload,
  now: () => unixMilliseconds(nowMs),
  nameDeployment: (chainId, { protocol }) => `${protocol} on ${chainId}`,
} satisfies TestServerOptions
const app = createServer(options)
const original = { ...index }
afterEach(() => {
  Object.assign(index, original, { version: index.version + 1 })
  listAttestations = reader.listAttestations
})
afterAll(() => app.close())

interface Payload {
  readonly total: number
  readonly rows: readonly (Readonly<Record<string, unknown>> | null)[]
  readonly nextCursor: string | null
  readonly [member: string]: unknown
}

async function getData(url: string): Promise<Payload> {
  const response = await app.inject(url)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<{ data: Payload }>().data
}

async function getRefusal(url: string): Promise<string> {
  const response = await app.inject(url)
  expect([url, response.statusCode]).toEqual([url, 400])
  return response.json<{ message: string }>().message
}

const id = (localId: string) => `onchain_evm_11155111_${localId}`
const [attester, recipient, nobody] = [2, 3, 4].map(sampleAddress)

describe('filters of attestations', () => {
  const total = async (query: string) => (await getData(`/scan/attestations?${query}`)).total

  test.each([
    [`attester=${attester}`, 25],
    [`attester=${attester?.toUpperCase().replace('0X', '0x')}&chainId=11155111`, 25],
    [`attester=${nobody}`, 0],
    [`recipient=${recipient}`, 24],
    [`recipient=${recipient}&schemaId=${id('0x2')}`, 1],
    ['recipient=did:key:%22z%22', 1],
    ['recipient=did:key:', 0],
    ['chainId=11155111', 25],
    ['chainId=1', 0],
    ['chainId=99999999999999999999', 0],
    [`schemaId=${id('0x1')}&chainId=11155111`, 23],
    [`schemaId=${id('0x1')}&chainId=1`, 0],
    ['schemaId=SPS_x&attester=', 0],
    ['protocol=sign', 25],
    ['protocol=eas', 0],
    ['revoked=true', 2],
    ['revoked=false', 23],
    ['expired=false', 25],
    ['validAt=1700250000', 24],
    ['validAt=1700100010', 10],
    ['attestedFrom=1700100024', 2],
    ['attestedBefore=1700100024', 23],
    ['attestedFrom=1700100003&attestedBefore=1700100005', 2],
    [`linkedAttestation=${id('0x1')}`, 1],
    ['linkedAttestation=onchain_evm_1_0x1', 0],
    ['linkedAttestation=SPA_x', 0],
    [`linkedAttestation[in]=["${id('0x2')}","${id('0x1')}","SPA_x"]`, 1],
    [`linkedAttestation[in]=["${id('0x2')}"]`, 0],
    [`linkedAttestation[in]=["${id('0x1')}","${id('0x2')}"]&linkedAttestation=${id('0x1')}`, 1],
    [`linkedAttestation[in]=["${id('0x1')}"]&linkedAttestation=${id('0x2')}`, 0],
    ['linkedAttestation%5Bin%5D=%5B%22SPA_x%22%5D', 0],
    [`recipientHolds=${id('0x1')}`, 24],
    [`recipientHolds=${id('0x1')}&recipientHolds[attester]=${attester}`, 24],
    [`recipientHolds=${id('0x1')}&recipientHolds[attester]=${nobody}`, 0],
    [`recipientHolds=${id('0x2')}`, 0],
    ['recipientHolds=SPS_x', 0],
    [`attesterHolds=${id('0x1')}`, 0],
    [`attesterHolds=${id('0x1')}&attesterHolds[attester]=${attester}`, 0],
    [`attesterHolds=${id('0x1')}&attesterHolds[attester]=${attester}&attesterHops=2`, 0],
    ['indexingValue=order+%2242%22', 1],
    ['indexingValue=order', 0],
    ['dataLocation=IPFS', 1],
    ['dataLocation=IPFS&revoked=false', 0],
    ['attester=&recipient=&chainId=&protocol=&revoked=&indexingValue=&dataLocation=&cursor=&include=', 25],
  ])('%s', async (query, expected) => {
    expect(await total(query)).toBe(expected)
    expect((await getData(`/scan/attestations?size=100&${query}`)).rows).toHaveLength(expected)
  })

  test('keep the shape of the rows', async () => {
    const [plain, filtered] = await Promise.all(
      ['', '&revoked=true'].map((query) => getData(`/scan/attestations?fields=detail&size=100${query}`)),
    )
    const ids = ['0x4', '0x3'].map(id)
    expect(filtered?.rows).toEqual(plain?.rows.filter((row) => ids.includes(String(row?.['id']))))
  })

  test('have pages from either end', async () => {
    const whole = await getData('/scan/attestations?revoked=false&size=100')
    for (const size of [1, 4, 23]) {
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(23 / size) }, (_, i) =>
          getData(`/scan/attestations?revoked=false&size=${size}&page=${i + 1}`),
        ),
      )
      expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
    }
    expect(await getData('/scan/attestations?revoked=false&page=2147483647&size=100')).toMatchObject({
      total: 23,
      rows: [],
    })
  })

  test('do not combine with a keyword, but for the schema', async () => {
    expect(await getRefusal('/scan/attestations?keyword=x&revoked=true')).toMatch(/^keyword .*revoked/)
    expect(await getRefusal('/scan/schemas?keyword=x&revocable=true')).toMatch(/^keyword .*revocable/)
    expect(await total(`keyword=0x3&schemaId=${id('0x2')}`)).toBe(1)
  })

  test('that would take too much counting are refused with a way out', async () => {
    listAttestations = () => Promise.reject(new StoreTooMuchWorkError('too many rows'))
    expect(await getRefusal('/scan/attestations?revoked=true')).toContain('cursor=*')
    await getData('/scan/attestations?revoked=true&cursor=*')
  })

  test('have no pages deep inside of very long lists', async () => {
    const facts = { passedOverMax: 10_000 }
    listAttestations = () => Promise.reject(new StoreTooMuchWorkError('too deep', { facts }))
    expect(await getRefusal('/scan/attestations?revoked=true&page=5000')).toMatch(/^page .*cursor=\*/)
  })

  test('by expiry follow the clock', async () => {
    index.attestations = [sampleAttestation(1, { validUntil: 1_800_000_100n })]
    const url = '/scan/attestations?expired=true'
    for (let again = 0; again < 3; again++) expect(await getData(url)).toMatchObject({ total: 0 })
    nowMs += 100_000
    expect(await getData(url)).toMatchObject({ total: 1 })
    expect(await getData(`${url}&cursor=*`)).toMatchObject({ rows: [{ attestationId: '0x1' }] })
  })
})

describe('filters of schemas', () => {
  test.each([
    [`registrant=${sampleAddress(1)}`, 12],
    [`registrant=${nobody}`, 0],
    [`resolver=${sampleAddress(0xfe)}`, 12],
    ['resolver=0x0000000000000000000000000000000000000000', 0],
    ['chainId=11155111&protocol=sign', 12],
    ['chainId=99999999999999999999', 0],
    ['revocable=false', 0],
    ['registeredFrom=1700000002&registeredBefore=1700000005', 3],
  ])('%s', async (query, expected) => {
    const { total, rows } = await getData(`/scan/schemas?size=100&${query}`)
    expect([total, rows.length]).toEqual([expected, expected])
  })
})

describe('cursors', () => {
  test.each(['/scan/attestations?', '/scan/attestations?revoked=false&fields=detail&', '/scan/schemas?'])(
    'walk %s to its end, once over each row',
    async (listing) => {
      const whole = await getData(`${listing}size=100`)
      for (const size of [1, 7, 100]) {
        const rows: unknown[] = []
        let cursor: string | null = '*'
        while (cursor !== null) {
          const step: Payload = await getData(`${listing}size=${size}&cursor=${cursor}`)
          expect(Object.keys(step)).toEqual(['rows', 'size', 'nextCursor'])
          rows.push(...step.rows)
          cursor = step.nextCursor
        }
        expect(rows).toEqual(whole.rows)
      }
    },
  )

  test('continue after rows that were all left out', async () => {
    const place = { timestamp: 1_700_100_010, chainId: 11155111, position: 1 }
    const other = createServer({
      ...options,
      reader: {
        ...reader,
        sliceAttestations: () => Promise.resolve({ rows: [], hasMore: true, scannedTo: place }),
      },
    })
    const response = await other.inject('/scan/attestations?revoked=true&cursor=*')
    const { rows, nextCursor } = response.json<{ data: Payload }>().data
    expect(rows).toEqual([])
    expect(Buffer.from(nextCursor ?? '', 'base64url').toString()).toBe('1700100010.11155111.1')
    await other.close()
  })

  test('exclude pages and keywords', async () => {
    for (const path of ['/scan/attestations', '/scan/schemas']) {
      expect(await getRefusal(`${path}?cursor=*&page=1`)).toMatch(/^cursor .*page/)
      expect(await getRefusal(`${path}?cursor=*&keyword=x`)).toMatch(/^cursor .*keyword/)
    }
  })
})

describe('links', () => {
  const linkOf = async (url: string) => (await app.inject(url)).headers['link']

  test('lead from page to page of a filtered listing', async () => {
    expect(await linkOf('/scan/attestations?revoked=false&page=2')).toBe(
      '<?revoked=false&page=1>; rel="first", <?revoked=false&page=1>; rel="prev", ' +
        '<?revoked=false&page=3>; rel="next", <?revoked=false&page=3>; rel="last"',
    )
  })

  test('lead a walk to its end', async () => {
    let link = await linkOf('/api/scan/schemas?size=5&cursor=*')
    let steps = 1
    for (;;) {
      const next = /<([^>]*)>; rel="next"/.exec(String(link))?.[1]
      if (next === undefined) break
      const { pathname, search } = new URL(next, 'http://host/api/scan/schemas?size=5&cursor=*')
      link = await linkOf(pathname + search)
      steps++
    }
    expect(steps).toBe(3)
  })

  test('come with kept and compressed answers too', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const url = '/scan/attestations?revoked=false&size=20'
    for (let again = 0; again < 3; again++) {
      const response = await app.inject({ url, headers })
      expect(response.headers['content-encoding']).toBe('gzip')
      expect(response.headers['link']).toContain('rel="last"')
      expect(response.headers['access-control-expose-headers']).toContain('link')
    }
  })
})

describe('decoded payloads', () => {
  const word = (value: number) => value.toString(16).padStart(64, '0')

  test('stand beside the members that an answer has without them', async () => {
    index.attestations = [sampleAttestation(1, { data: `0x${word(7)}` as Hex }), sampleAttestation(2)]
    const decoded = { decodedData: [{ name: 'score', type: 'uint256', value: '7' }], decodedDataError: null }
    const undecodable = { decodedData: null, decodedDataError: expect.stringContaining('encoding') }
    const single = await getData(`/scan/attestations/${id('0x1')}`)
    expect(await getData(`/scan/attestations/${id('0x1')}?include=decoded`)).toEqual({
      ...single,
      ...decoded,
    })
    for (const listing of [
      '/scan/attestations?',
      '/scan/attestations?fields=detail&',
      '/scan/attestations?attester=' + attester + '&',
      `/scan/addresses/${attester}/attestations?`,
      `/scan/attestations/by-ids?ids=${id('0x2')},${id('0x1')}&`,
    ]) {
      const { rows } = await getData(listing)
      expect((await getData(`${listing}include=decoded`)).rows).toEqual([
        { ...rows[0], ...undecodable },
        { ...rows[1], ...decoded },
      ])
    }
  })

  test('are bounded in what one answer reads of them', async () => {
    const data = `0x${'00'.repeat(100 * 1024)}` as Hex
    index.attestations = [1, 2, 3, 4].map((number) => sampleAttestation(number, { data }))
    const { rows } = await getData('/scan/attestations?include=decoded')
    const skipped = rows.filter((row) =>
      String(row?.['decodedDataError']).includes('request this attestation alone'),
    )
    expect(skipped.map((row) => row?.['attestationId'])).toEqual(['0x2', '0x1'])
  })

  test('are bounded in what comes of them, but for the first', async () => {
    let calls = 0
    const value = 'x'.repeat(3 * 1024 * 1024)
    const decodePayload: DecodePayload = () => {
      calls++
      return { kind: 'decoded', values: [{ name: 'a', type: 'string', value }] }
    }
    const other = createServer({ ...options, decodePayload })
    const { rows } = (await other.inject('/scan/attestations?include=decoded&size=100')).json<{
      data: Payload
    }>().data
    expect(calls).toBe(1)
    expect(rows.filter((row) => row?.['decodedData'] === null)).toHaveLength(24)
    await other.close()
  })

  test('are null if the server has no decoder', async () => {
    const other = createServer({ reader: options.reader })
    const response = await other.inject(`/scan/attestations/${id('0x1')}?include=decoded`)
    expect(response.json()).toMatchObject({ data: { decodedData: null } })
    await other.close()
  })
})

describe('records by their ids', () => {
  test.each(['schemas', 'attestations'])(
    'of %s come in the order of the ids, null where unknown',
    async (kind) => {
      const ids = [id('0x3'), 'SPA_x', id('0X1'), id('0xffff'), id('0x3')]
      const { rows } = await getData(`/scan/${kind}/by-ids?ids=${ids.join(',')}`)
      const [third, first] = await Promise.all(
        ['0x3', '0x1'].map((local) => getData(`/scan/${kind}/${id(local)}`)),
      )
      expect(rows).toEqual([third, null, first, null, third])
    },
  )

  test('are at most a hundred, also of the longest ids', async () => {
    const longest = `onchain_evm_9007199254740991_0x${'f'.repeat(64)}`
    const many = Array.from({ length: 100 }, () => longest)
    expect((await getData(`/scan/attestations/by-ids?ids=${many.join('%2C')}`)).rows).toHaveLength(100)
    const tooMany = Array.from({ length: 101 }, () => id('0x1')).join(',')
    expect(await getRefusal(`/scan/schemas/by-ids?ids=${tooMany}`)).toMatch(/^ids must be 1 to 100 .* 101\.$/)
  })

  test.each(['', '?ids=', '?ids=,', `?ids=${id('0x1')},`, `?ids=${id('0x1')};${id('0x2')}`, '?ids=0x1'])(
    'are refused without good ids: %s',
    async (query) => {
      expect(await getRefusal(`/scan/attestations/by-ids${query}`)).toMatch(/^ids /)
    },
  )
})

describe('series', () => {
  test('count by day, oldest first', async () => {
    const day = 86_400
    index.schemas = [sampleSchema(1, { registerTimestamp: unixSeconds(day * 19_000) })]
    index.attestations = [19_000.99, 19_000, 19_002].map((at, i) =>
      sampleAttestation(i + 1, { attestTimestamp: unixSeconds(Math.round(at * day)) }),
    )
    const days = [
      { date: '2022-01-08', schemaCount: 1, attestationCount: 2 },
      { date: '2022-01-10', schemaCount: 0, attestationCount: 1 },
    ]
    expect(await getData('/scan/stats')).toEqual({
      schemaCount: 1,
      attestationCount: 3,
      revocationCount: 1,
      protocols: [
        {
          chainId: '11155111',
          protocol: 'sign',
          schemaCount: 1,
          attestationCount: 3,
          revocationCount: 1,
          days,
        },
      ],
      days,
    })
    expect((await getData(`/scan/schemas/${id('0x1')}/activity`)).rows).toEqual([
      { date: '2022-01-08', attestationCount: 2 },
      { date: '2022-01-10', attestationCount: 1 },
    ])
    const none = { schemaCreated: 0, attestationCreated: 0, attestationReceived: 0 }
    expect((await getData(`/scan/addresses/${recipient}/activity`)).rows).toEqual([
      { date: '2022-01-08', ...none, attestationReceived: 2 },
      { date: '2022-01-10', ...none, attestationReceived: 1 },
    ])
    expect((await getData(`/scan/addresses/${nobody}/activity`)).rows).toEqual([])
    for (const [span, dates] of [
      ['from=2022-01-09', ['2022-01-10']],
      ['before=2022-01-10', ['2022-01-08']],
      ['from=2022-01-08&before=2022-01-08', []],
      ['from=&before=', ['2022-01-08', '2022-01-10']],
    ] as const) {
      const { rows } = await getData(`/scan/schemas/${id('0x1')}/activity?${span}`)
      expect(rows.map((row) => row?.['date'])).toEqual(dates)
    }
  })

  test('of a schema that is not indexed are a 404', async () => {
    for (const unknown of [id('0xffff'), 'SPS_x']) {
      expect((await app.inject(`/scan/schemas/${unknown}/activity`)).statusCode).toBe(404)
    }
  })
})

describe('chains', () => {
  test('have secondsBehind by the clock, computed for each answer', async () => {
    const nowSeconds = Math.floor(nowMs / 1000)
    index.chains = [
      sampleChain({ updatedAt: unixMilliseconds(nowMs - 2_500) }),
      sampleChain({
        chainId: 1,
        phase: 'backfilling',
        indexedBlock: 50,
        indexedTimestamp: unixSeconds(nowSeconds - 60),
        lastError: 'No endpoint answers.',
      }),
      sampleChain({ chainId: 10, headBlock: null, indexedBlock: null, indexedTimestamp: null }),
    ]
    const behind = async () => (await getData('/scan/chains')).rows.map((row) => row?.['secondsBehind'])
    for (let again = 0; again < 3; again++) expect(await behind()).toEqual([60, null, 2])
    nowMs += 10_000
    expect(await behind()).toEqual([70, null, 12])
    expect((await getData('/scan/chains')).rows[0]).toMatchObject({
      chainId: '1',
      name: 'Sepolia',
      explorer: {
        address: 'https://sepolia.etherscan.io/address/',
        transaction: 'https://sepolia.etherscan.io/tx/',
        block: 'https://sepolia.etherscan.io/block/',
      },
      protocols: ['sign'],
      deployments: [
        { protocol: 'sign', name: 'sign on 1', address: checksumAddress(sampleContract), startBlock: 0 },
      ],
      phase: 'backfilling',
      headSource: 'subscription',
      lastError: 'No endpoint answers.',
      fieldsPending: 0,
      defect: null,
    })
    const query = '{ chains { deployments { protocol name address } } }'
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
    expect(answer.json()).toMatchObject({
      data: {
        chains: [1, 10, 11155111].map((chainId) => ({
          deployments: [
            { protocol: 'sign', name: `sign on ${chainId}`, address: checksumAddress(sampleContract) },
          ],
        })),
      },
    })
  })
})

describe('off-chain anchors', () => {
  test('are counted for each address that made some, and for each chain', async () => {
    const onOtherChain = { chainId: 10, anchor: 'Timestamped', account: sampleAddress(2), count: 1 }
    index.anchors = [...index.anchors, onOtherChain]
    expect((await getData(`/scan/addresses/${sampleAddress(2)}/anchors`)).rows).toEqual([
      { chainId: '10', event: 'Timestamped', count: 1 },
      { chainId: '11155111', event: 'RevokedOffchain', count: 2 },
      { chainId: '11155111', event: 'Timestamped', count: 3 },
    ])
    expect((await getData(`/scan/addresses/${nobody}/anchors`)).rows).toEqual([])
    expect((await getData('/scan/chains')).rows[1]).toMatchObject({
      offchainAnchors: [
        { event: 'RevokedOffchain', count: 2 },
        { event: 'Timestamped', count: 5 },
      ],
    })
  })

  test('of an unknown type are refused, not answered as empty', async () => {
    const types = 'Timestamped, RevokedOffchain, OffchainAttestationMade or OffchainAttestationRevoked'
    const message = `type must be ${types}; it was 'revokedOffchain'.`
    const response = await app.inject('/scan/anchors?type=revokedOffchain')
    expect(response.json()).toEqual({ success: false, statusCode: 400, data: {}, message })
    const ask = async (given: string) => {
      const query = `{ anchors(${given}) { total } }`
      return (await app.inject({ method: 'POST', url: '/graphql', payload: { query } })).json()
    }
    expect(await ask('type: "revokedOffchain"')).toMatchObject({
      errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
    })
    expect(await ask('type: "", account: "", value: ""')).toEqual(await ask('page: 1'))
  })
})

describe('every further endpoint', () => {
  test.each([
    '/scan/stats',
    '/scan/chains',
    `/scan/schemas/${id('0x1')}/activity`,
    `/scan/addresses/${nobody}/activity`,
    `/scan/addresses/${nobody}/anchors`,
    `/scan/attestations/by-ids?ids=${id('0x1')}`,
    `/scan/schemas/by-ids?ids=${id('0x1')}`,
    '/scan/attestations?revoked=true',
    '/scan/attestations?cursor=*',
  ])('%s has a tag, a HEAD, and answers under /api', async (url) => {
    const response = await app.inject(url)
    const { etag } = response.headers
    expect(
      (await app.inject({ url: `/api${url}`, headers: { 'if-none-match': String(etag) } })).statusCode,
    ).toBe(304)
    const head = await app.inject({ url, method: 'HEAD' })
    expect([head.statusCode, head.body, head.headers['etag']]).toEqual([200, '', etag])
    expect((await app.inject({ url, method: 'DELETE' })).statusCode).toBe(405)
  })
})
