import { afterAll, describe, expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { createServer } from '../../testing/createServer.ts'
import { sampleChain } from '../../pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleSchema,
} from '../../pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '../../pipeline/testing/testIndex.ts'

/** Requests of clients of the original service: https://docs.human.tech, Human Passport, the API of Holonym. */

const [subject, issuer, stranger, sender, registrant] = [3, 2, 4, 5, 1].map((n) => sampleAddress(n))
const otherChainId = 10
const ofSubject = { kind: 'address', address: subject! } as const

const attestations = [
  sampleAttestation(1),
  // By anybody: more than a page of them.
  ...Array.from({ length: 11 }, (_, i) => sampleAttestation(i + 2, { attester: stranger! })),
  sampleAttestation(13, {
    attester: subject!,
    recipients: [
      { kind: 'text', text: 'did:key:z' },
      { kind: 'address', address: stranger! },
      ofSubject,
      { kind: 'text', text: ` ${subject!}` },
    ],
    transactionSender: sender!,
  }),
  sampleAttestation(14, { attester: subject!, recipients: [{ kind: 'text', text: `${subject!}0` }] }),
  ...[15, 16, 17].map((number) =>
    sampleAttestation(number, {
      key: { chainId: otherChainId, localId: localIdOfCounter(BigInt(number)) },
      position: eventPosition(2_000 + number, 0),
    }),
  ),
]
const schemas = [
  sampleSchema(1),
  sampleSchema(2, { key: { chainId: otherChainId, localId: localIdOfCounter(1n) } }),
]
const content = {
  schemas,
  attestations,
  revocations: {},
  anchors: [],
  chains: [sampleChain(), sampleChain({ chainId: otherChainId, name: 'OP Mainnet' })],
}
const index = createTestIndex(content)
const app = createServer({ reader: openTestIndex(index) })
afterAll(() => app.close())

interface Row {
  readonly id: string
  readonly attestationId: string
  readonly chainId: string
  readonly [member: string]: unknown
}

interface Answer {
  readonly message: string
  readonly data: { readonly total: number; readonly rows: readonly Row[] }
}

async function ask(url: string) {
  const response = await app.inject(url)
  return { ...response.json<Answer>(), statusCode: response.statusCode, headers: response.headers }
}

async function numbersOf(query: string, address = subject!): Promise<number[]> {
  const { statusCode, data } = await ask(`/api/scan/addresses/${address}/attestations?size=100&${query}`)
  expect(statusCode).toBe(200)
  expect(data.total).toBe(data.rows.length)
  return data.rows.map(({ attestationId }) => Number(attestationId))
}

describe('the attestations of an address', () => {
  const membersOf = async (address: string, number: number) => {
    const { data } = await ask(`/scan/addresses/${address}/attestations?size=100`)
    const row = data.rows.find(({ attestationId }) => Number(attestationId) === number)
    return row && { from: row['from'], isSender: row['isSender'], isReceiver: row['isReceiver'] }
  }

  test('say whether the address made or received each, whatever its case', async () => {
    for (const spelling of [subject!, subject!.toUpperCase().replace('0X', '0x')]) {
      expect(await membersOf(spelling, 1)).toEqual({ from: '', isSender: false, isReceiver: true })
    }
    expect(await membersOf(issuer!, 1)).toEqual({ from: '', isSender: true, isReceiver: false })
    const from = expect.stringMatching(/^0xab0+5$/i)
    expect(await membersOf(subject!, 13)).toEqual({ from, isSender: true, isReceiver: true })
    expect(await membersOf(stranger!, 13)).toEqual({ from, isSender: false, isReceiver: true })
    // A text that only looks like the address is not the address.
    expect(await membersOf(subject!, 14)).toEqual({ from: '', isSender: true, isReceiver: false })
  })

  test('agree with the filter by type', async () => {
    const { data } = await ask(`/scan/addresses/${subject}/attestations?size=100`)
    const those = (member: string) =>
      data.rows.filter((row) => row[member] === true).map(({ attestationId }) => Number(attestationId))
    expect(await numbersOf('type=received')).toEqual(those('isReceiver'))
    expect(await numbersOf('type=created')).toEqual(those('isSender'))
  })

  test('hide an old one behind eleven of anybody, until the attester is asked for', async () => {
    const isIssued = ({ attester }: Row) => String(attester).toLowerCase() === issuer
    const { data } = await ask(`/scan/addresses/${subject}/attestations?chainId=${sampleChainId}`)
    expect(data.rows).toHaveLength(10)
    expect(data.rows.some(isIssued)).toBe(false)
    expect(await numbersOf(`attester=${issuer}&chainId=${sampleChainId}`)).toEqual([1])
  })

  test('by an attester combine with type, chain and schema', async () => {
    expect(await numbersOf(`attester=${issuer}`)).toEqual([17, 16, 15, 1])
    expect(await numbersOf(`attester=${issuer!.toUpperCase().replace('0X', '0x')}`)).toEqual([17, 16, 15, 1])
    expect(await numbersOf(`attester=${issuer}&type=received`)).toEqual([17, 16, 15, 1])
    expect(await numbersOf(`attester=${issuer}&type=created`)).toEqual([])
    expect(await numbersOf(`attester=${issuer}&schemaId=0x1`)).toEqual([17, 16, 15, 1])
    expect(await numbersOf(`attester=${issuer}&schemaId=0x1&network=${otherChainId}`)).toEqual([17, 16, 15])
    expect(await numbersOf(`attester=${issuer}&schemaId=onchain_evm_10_0x1&protocol=sign`)).toEqual([
      17, 16, 15,
    ])
    expect(
      await numbersOf(`attester=${issuer}&schemaId=onchain_evm_10_0x1&chainId=${sampleChainId}`),
    ).toEqual([])
    expect(await numbersOf(`attester=${issuer}&schemaId=0x2`)).toEqual([])
    expect(await numbersOf(`attester=${subject}`)).toEqual([14, 13])
    expect(await numbersOf(`attester=${subject}&type=created`)).toEqual([14, 13])
    expect(await numbersOf(`attester=${subject}&type=received&schemaId=0x1`)).toEqual([13])
    expect(await numbersOf(`attester=${registrant}`)).toEqual([])
    expect(await numbersOf(`attester=${issuer}&type=received`, issuer)).toEqual([])
    expect(await numbersOf(`attester=${sampleAddress(99)}`)).toEqual([])
  })

  test('by an attester have pages that together are the list, over chains too', async () => {
    const path = `/scan/addresses/${subject}/attestations?attester=${issuer}&schemaId=0x1&size=1`
    const pages = await Promise.all([1, 2, 3, 4, 5, 100_000].map((page) => ask(`${path}&page=${page}`)))
    expect(pages.map(({ data }) => data.total)).toEqual([4, 4, 4, 4, 4, 4])
    expect(pages.map(({ data }) => data.rows.map(({ attestationId }) => Number(attestationId)))).toEqual([
      [17],
      [16],
      [15],
      [1],
      [],
      [],
    ])
  })
})

describe('network', () => {
  const paths = [
    `/scan/addresses/${subject}/attestations`,
    '/scan/attestations',
    '/scan/schemas',
    '/scan/aggregate/attestations?by=chain',
  ]
  const join = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

  test.each(paths)('is chainId on %s', async (path) => {
    const all = (await ask(path)).data
    const { data } = await ask(join(path, `chainId=${otherChainId}`))
    expect(data.total).toBeGreaterThan(0)
    expect(data.total).toBeLessThan(all.total)
    for (const query of ['network=10', 'network=010', 'chainId=10&network=all', 'network=10&chainId=010']) {
      const answer = await ask(join(path, query))
      expect(answer.data).toEqual(data)
      expect(answer.headers).not.toHaveProperty('x-attestry-ignored')
    }
    for (const none of ['network=all', 'network=', 'network=&chainId=', 'network=all&chainId=']) {
      expect((await ask(join(path, none))).data).toEqual(all)
    }
    expect((await ask(join(path, 'network=10&network=10'))).message).toMatch(/^network .* more than once/)
    expect((await ask(join(path, 'network=99999999999999999999'))).data.total).toBe(0)
  })

  test.each(['optimism', 'ALL', '0x10', '-1', '1e3', 'all,10', '%20', '%ff'])(
    'is refused: %s',
    async (value) => {
      for (const path of paths) {
        const { statusCode, message } = await ask(join(path, `network=${value}`))
        expect([statusCode, message]).toEqual([400, expect.stringMatching(/^network /)])
      }
    },
  )

  test.each(['network=10&chainId=1', 'chainId=1&network=10'])(
    'that differs from chainId is refused: %s',
    async (query) => {
      for (const path of paths) {
        const { statusCode, message } = await ask(join(path, query))
        expect(statusCode).toBe(400)
        expect(message).toMatch(/network/)
        expect(message).toMatch(/chainId/)
      }
    },
  )

  test('narrows a transaction, exports and no path without chains', async () => {
    const [{ transactionHash }] = schemas as [(typeof schemas)[0]]
    expect((await ask(`/scan/transactions/${transactionHash}?network=10`)).statusCode).toBe(404)
    const lines = (await app.inject('/scan/export/attestations.ndjson?network=10')).body.trim().split('\n')
    expect(lines).toHaveLength(3)
    const { statusCode, headers } = await ask(`/scan/addresses/${registrant}/schemas?network=10`)
    expect([statusCode, headers['x-attestry-ignored']]).toEqual([200, 'network'])
  })

  test('works as the client of Holonym sends it', async () => {
    const query = 'schemaId=0x1&network=10&type=received'
    const { data } = await ask(`/api/scan/addresses/${subject}/attestations?${query}`)
    expect(data.rows.map(({ chainId }) => chainId)).toEqual(['10', '10', '10'])
  })
})

describe('ignored parameters', () => {
  const path = `/scan/addresses/${subject}/attestations`

  test('are listed in a header that foreign pages may read', async () => {
    const { statusCode, headers } = await ask(`${path}?id=${subject}&network=all&page=1&_=17&t=1&id=2&foo[]=`)
    expect(statusCode).toBe(200)
    expect(headers['x-attestry-ignored']).toBe('id, _, t, foo[]')
    expect(headers['access-control-expose-headers']).toContain('x-attestry-ignored')
    expect((await ask(`${path}?page=1`)).headers).not.toHaveProperty('x-attestry-ignored')
  })

  test('are listed with safe characters and in a bounded length', async () => {
    const odd = await ask(`${path}?a%0d%0ab=1&%E6%84%9B=1&%zz=1&%22,%22=1&${'x'.repeat(5000)}=1`)
    expect(odd.headers['x-attestry-ignored']).toBe(
      `a%0D%0Ab, %E6%84%9B, %25zz, %22%2C%22, ${'x'.repeat(32)}...`,
    )
    const many = Array.from({ length: 1000 }, (_, i) => `n${i}=1`).join('&')
    const value = String((await ask(`${path}?${many}`)).headers['x-attestry-ignored'])
    expect(value).toMatch(/^n0, n1, .*, \.\.\.$/)
    expect(value.length).toBeLessThan(300)
  })

  test('are listed by every kind of answer', async () => {
    const urls = [
      '/scan/schemas/onchain_evm_11155111_0x1?foo=1',
      '/scan/schemas/onchain_evm_11155111_0xff?foo=1',
      '/scan/export/attestations.csv?foo=1',
      '/index/attestations?foo=1',
      '/scan/chains?foo=1',
    ]
    for (const url of urls) expect((await app.inject(url)).headers['x-attestry-ignored']).toBe('foo')
    const payload = { ids: ['onchain_evm_1_0x1'] }
    const posted = await app.inject({ method: 'POST', url: '/scan/attestations/status?foo=1', payload })
    expect([posted.statusCode, posted.headers['x-attestry-ignored']]).toEqual([200, 'foo'])
    const { headers } = await ask(`${path}?foo=1`)
    const again = { 'if-none-match': String(headers['etag']) }
    const unmodified = await app.inject({ url: `${path}?bar=1`, headers: again })
    expect([unmodified.statusCode, unmodified.headers['x-attestry-ignored']]).toEqual([304, 'bar'])
  })

  test('share one kept answer, and never the header', async () => {
    const kept = createServer({ reader: openTestIndex(index) })
    const get = async (query: string) => {
      const { body, headers } = await kept.inject(`/scan/attestations?${query}`)
      return [headers['x-attestry-ignored'], headers['link'], body]
    }
    const [, link, body] = await get('size=2&revoked=false')
    for (const n of [1, 2, 3, 4]) {
      expect(await get(`_=${n}&size=2&foo${n}=1&revoked=false`)).toEqual([`_, foo${n}`, link, body])
      expect(await get('size=2&revoked=false')).toEqual([undefined, link, body])
    }
    await kept.close()
  })
})

describe('an unknown protocol', () => {
  test.each([
    '/scan/attestations?protocol=bas',
    '/scan/schemas?protocol=EAS',
    '/scan/schemas/onchain_evm_1_0x1?protocol=x',
    '/scan/attestations/by-ids?ids=onchain_evm_1_0x1&protocol=x',
    `/scan/addresses/${subject}/attestations?schemaId=0x1&protocol=x`,
    '/scan/export/schemas.csv?protocol=x',
    '/scan/aggregate/attestations?by=day&protocol=x',
    '/index/schemas?protocol=x',
    '/index/attestations/onchain_evm_1_0x1?protocol=x',
  ])('is refused with the names of those that are: %s', async (url) => {
    const { statusCode, message } = await ask(url)
    expect([statusCode, message]).toEqual([
      400,
      expect.stringMatching(/^protocol must be sign, eas, erc8004 or verax;/),
    ])
  })

  test('is refused in bodies and in GraphQL', async () => {
    const payload = { ids: ['onchain_evm_1_0x1'], protocol: 'x' }
    const posted = await app.inject({ method: 'POST', url: '/scan/attestations/status', payload })
    expect(posted.json<Answer>().message).toMatch(/^protocol must be sign, eas, erc8004 or verax/)
    for (const query of [
      '{ attestations(first: 1, filter: { protocol: "x" }) { totalCount } }',
      '{ schema(id: "onchain_evm_1_0x1", protocol: "x") { id } }',
    ]) {
      const { body } = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
      expect(body).toContain('protocol must be sign, eas, erc8004 or verax')
    }
  })
})
