import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createServer } from './testing/createServer.ts'
import { openTestIndex } from './pipeline/testing/testIndex.ts'
import { createSampleIndex } from './pipeline/testing/sampleIndex.ts'
import { sampleAddress } from './pipeline/testing/sampleRecords.ts'

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index) })
afterAll(() => app.close())

const address = sampleAddress(2)
const composite = 'onchain_evm_11155111_0x1'

const badEncodings = [
  '%',
  '%4',
  '%zz',
  '%ff',
  '%C0%80',
  '%ED%A0%80',
  '%ED%B0%80',
  '%F5%80%80%80',
  '1%00',
  '%00',
]
const badNumbers = [
  ...badEncodings,
  ...[
    '',
    '-1',
    '+1',
    '%2B1',
    '1e3',
    '0x10',
    '1.0',
    '1.',
    '.5',
    '%201',
    '1%20',
    '1%0A',
    'NaN',
    'Infinity',
    'null',
  ],
  ...['undefined', 'true', '1,2', '[1]', '1_000', '0b1', '１', '%EF%BC%91', '%D9%A1', '9'.repeat(400), '1n'],
].map((text) => encodeNonAscii(text))
const badPages = [...badNumbers, '2147483648', '4294967297', '18446744073709551616']
const badSizes = [...badNumbers, '0', '00', '101', '2147483647']
const badChoices = [
  ...badEncodings,
  'x',
  'Schema',
  'detail%20',
  'DETAIL',
  'created,received',
  '%20',
  '0',
  'x'.repeat(3000),
]
const badIds = [
  ...badEncodings,
  ...[
    'x',
    '1',
    '-1',
    '%20',
    'onchain',
    'onchain_evm_1',
    'onchain_evm_1_',
    'onchain_evm_1_0x',
    'onchain_evm__0x1',
  ],
  ...['ONCHAIN_EVM_1_0x1', 'Onchain_evm_1_0x1', 'onchain_evm_1_0xg', 'onchain_evm_1_1', 'onchain_evm_-1_0x1'],
  ...[
    'onchain_evm_0x1_0x1',
    `${composite}%20`,
    `%20${composite}`,
    `${composite}%0A`,
    `${composite}_1`,
    'x'.repeat(3000),
  ],
  ...['onchain_sol_1_0x1', 'offchain_evm_1', 'SPS_', "'%20OR%201=1--", '%E6%84%9B', '..%2F..%2Fetc%2Fpasswd'],
]
const badAddresses = [
  ...badEncodings,
  ...[
    'x',
    '0x',
    address.slice(2),
    `${address}0`,
    address.slice(0, -1),
    `${address.slice(0, -1)}g`,
    `${address}%20`,
  ],
  ...['vitalik.eth', composite, '%F0%9F%92%A9', '0x'.padEnd(3000, '0')],
]
const badKeywords = [
  ...badEncodings,
  'x'.repeat(257),
  '%E6%84%9B'.repeat(257),
  'a%00b',
  '%F0%9F%92%A9'.repeat(129),
]
const badChainIds = [
  ...badEncodings,
  ...['-1', '+1', '1e3', '0x1', '1.0', '%201', 'evm', 'all', 'undefined', 'onchain_evm_1', '１'].map(
    encodeNonAscii,
  ),
]

const badFlags = [
  ...badEncodings,
  'x',
  'True',
  'TRUE',
  '1',
  '0',
  'yes',
  'null',
  'undefined',
  'true,false',
  '%20true',
]
const badTimes = [...badNumbers, '253402300800', '1700000000000', '2024-01-01']
const badProtocols = [
  ...badEncodings,
  'EAS',
  'sign%20',
  '%20',
  'a_b',
  'x'.repeat(33),
  '%E6%84%9B',
  'sign,eas',
]
const badCursors = [
  ...badEncodings,
  ...[
    'x',
    '**',
    '%2A%2A',
    '1',
    '-',
    'MS4yLjM=',
    'MS4yLjM%3D',
    'MS4yLjMuNA',
    'MDEuMi4z',
    'A'.repeat(3000),
    '%E6%84%9B',
  ],
]
const badDays = [
  ...badEncodings,
  ...[
    'x',
    '2024',
    '2024-1-1',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '20240101',
  ],
  ...['2024-01-01T00:00:00Z', '%202024-01-01', '2024-01-01%20', '1700000000', '+002024-01-01', '-2024-01-01'],
]
const badTexts = badEncodings

/** Every query parameter of every endpoint, a good value, and bad ones. */
const queryParameters: [path: string, name: string, good: string, bad: readonly string[]][] = [
  ['/scan/search', 'filter', 'schema', badChoices],
  ['/scan/search', 'keyword', 'x', badKeywords],
  ['/scan/schemas', 'page', '1', badPages],
  ['/scan/schemas', 'size', '1', badSizes],
  ['/scan/schemas', 'keyword', 'x', badKeywords],
  ['/scan/attestations', 'schemaId', composite, [...badIds, '0x1']],
  ['/scan/attestations', 'fields', 'detail', badChoices],
  ['/scan/attestations', 'page', '1', badPages],
  ['/scan/attestations', 'size', '1', badSizes],
  ['/scan/attestations', 'keyword', 'x', badKeywords],
  ['/scan/attestations', 'attester', address, badAddresses],
  ['/scan/attestations', 'recipient', 'did:key:z', badTexts],
  ['/scan/attestations', 'chainId', '1', badChainIds],
  ['/scan/attestations', 'protocol', 'eas', badProtocols],
  ['/scan/attestations', 'revoked', 'false', badFlags],
  ['/scan/attestations', 'expired', 'true', badFlags],
  ['/scan/attestations', 'validAt', '1700000000', badTimes],
  ['/scan/attestations', 'attestedFrom', '0', badTimes],
  ['/scan/attestations', 'attestedBefore', '253402300799', badTimes],
  ['/scan/attestations', 'revokedFrom', '0', badTimes],
  ['/scan/attestations', 'revokedBefore', '1', badTimes],
  ['/scan/attestations', 'linkedAttestation', composite, [...badIds, '0x1']],
  [
    '/scan/attestations',
    'linkedAttestation[in]',
    `["${composite}"]`,
    [...badEncodings, 'x', '[]', '[1]', '"a"', '{}', `["${composite}",]`, composite, '[[]]', '[null]'],
  ],
  ['/scan/attestations', 'recipientHolds', composite, [...badIds, '0x1']],
  ['/scan/attestations', 'attesterHolds', composite, [...badIds, '0x1']],
  ['/scan/attestations', 'indexingValue', '%E6%84%9B', badTexts],
  ['/scan/attestations', 'dataLocation', 'IPFS', [...badChoices, 'ipfs']],
  ['/scan/attestations', 'include', 'decoded', badChoices],
  ['/scan/attestations', 'cursor', '*', badCursors],
  ['/scan/schemas', 'include', 'protocol', [...badChoices, 'decoded']],
  ['/scan/search', 'include', 'protocol', [...badChoices, 'decoded']],
  ['/scan/schemas', 'registrant', address, badAddresses],
  ['/scan/schemas', 'resolver', address, badAddresses],
  ['/scan/schemas', 'chainId', '1', badChainIds],
  ['/scan/schemas', 'protocol', 'sign', badProtocols],
  ['/scan/schemas', 'revocable', 'true', badFlags],
  ['/scan/schemas', 'registeredFrom', '007', badTimes],
  ['/scan/schemas', 'registeredBefore', '1', badTimes],
  ['/scan/schemas', 'cursor', '%2A', badCursors],
  [
    '/scan/schemas/by-ids',
    'ids',
    composite,
    [...badIds.filter((id) => id.length < 3000), '', ',', `${composite},`],
  ],
  [
    '/scan/attestations/by-ids',
    'ids',
    `${composite},SPA_x`,
    [...badIds, '', '0x1', `${composite};${composite}`],
  ],
  [`/scan/attestations/${composite}`, 'include', 'decoded', badChoices],
  ['/scan/aggregate/attestations', 'by', 'day', [...badChoices, '', 'schemaId', 'Day', 'day,month']],
  ['/scan/stats', 'from', '2024-02-29', badDays],
  ['/scan/stats', 'before', '1970-01-01', badDays],
  [`/scan/schemas/${composite}/activity`, 'from', '0000-01-01', badDays],
  [`/scan/addresses/${address}/activity`, 'before', '9999-12-31', badDays],
  [`/scan/addresses/${address}/attestations`, 'include', 'decoded', badChoices],
  ['/index/schemas', 'id', composite, withoutUndefined(badIds)],
  ['/index/schemas', 'registrant', 'undefined', withoutUndefined(badAddresses)],
  ['/index/schemas', 'mode', 'offchain', withoutUndefined([...badChoices, 'all'])],
  ['/index/schemas', 'page', 'undefined', withoutUndefined(badPages)],
  ['/index/schemas', 'size', '100', withoutUndefined(badSizes)],
  ['/index/attestations', 'id', 'SPA_x', withoutUndefined(badIds)],
  ['/index/attestations', 'schemaId', composite, withoutUndefined([...badIds, '0x1'])],
  ['/index/attestations', 'attester', address, withoutUndefined(badAddresses)],
  ['/index/attestations', 'recipient', 'x', badTexts],
  ['/index/attestations', 'indexingValue', 'x', badTexts],
  ['/index/attestations', 'mode', 'onchain', withoutUndefined(badChoices)],
  ['/index/attestations', 'page', '2', withoutUndefined(badPages)],
  ['/index/attestations', 'size', 'undefined', withoutUndefined(badSizes)],
  [`/scan/addresses/${address}/schemas`, 'page', '1', badPages],
  [`/scan/addresses/${address}/schemas`, 'size', '1', badSizes],
  [`/scan/addresses/${address}/attestations`, 'page', '1', badPages],
  [`/scan/addresses/${address}/attestations`, 'size', '1', badSizes],
  [`/scan/addresses/${address}/attestations`, 'type', 'created', badChoices],
  [`/scan/addresses/${address}/attestations`, 'chainId', '11155111', badChainIds],
  [`/scan/addresses/${address}/attestations`, 'schemaId', composite, [...badIds, '0x', '0xg', '0x1%20']],
]

describe.each(queryParameters)('%s?%s=', (path, name, good, bad) => {
  test('that is malformed is refused by name, whatever other parameters are valid', async () => {
    const urls = bad.flatMap((value) => [
      `${path}?${name}=${value}`,
      `/api${path}/?network=all&${name}=${value}&id=%zz`,
    ])
    expect(await findWronglyAnswered(urls, name)).toEqual([])
  })

  test('is refused by name when it is given twice, even empty or alike', async () => {
    const urls = [good, '', 'x'].flatMap((second) => [
      `${path}?${name}=${good}&x=1&${name}=${second}`,
      `${path}?${name}=${good}&%${hexOf(name)}=${second}`,
    ])
    expect(await findWronglyAnswered(urls, name)).toEqual([])
  })

  test('is accepted when it is good', async () => {
    expect((await app.inject(`${path}?${name}=${good}`)).statusCode).toBe(200)
  })
})

describe('a number without a value', () => {
  test.each(['page', 'size'])('is refused: %s', async (name) => {
    const urls = [`/scan/schemas?${name}`, `/scan/schemas?${name}=`]
    expect(await findWronglyAnswered(urls, name)).toEqual([])
  })
})

describe.each([
  ['/scan/schemas/', '', 'id', badIds],
  ['/scan/attestations/', '', 'id', [...badIds, '0x1']],
  ['/scan/addresses/', '/statistics', 'address', badAddresses],
  ['/scan/addresses/', '/schemas', 'address', badAddresses],
  ['/scan/addresses/', '/attestations', 'address', badAddresses],
  ['/scan/addresses/', '/activity', 'address', badAddresses],
  ['/scan/schemas/', '/activity', 'id', badIds],
  ['/index/schemas/', '', 'id', badIds],
  ['/index/attestations/', '', 'id', badIds],
])('%s…%s', (before, after, name, bad) => {
  test('is refused by name when it is bad', async () => {
    const urls = bad.map((value) => before + value + after)
    expect(await findWronglyAnswered(urls, name)).toEqual([])
  })
})

describe('whatever is asked for', () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'scan',
      'index',
      'api',
      'schemas',
      'attestations',
      'addresses',
      'search',
      'top-schemas',
      'statistics',
      'activity',
      'by-ids',
      'stats',
      'chains',
      '',
    ),
    fc.constantFrom(address, composite, 'healthz', 'readyz', '%2e%2e', '%zz', '*', ':id'),
    fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.stringMatching(/^[!-~]{0,12}$/),
  )
  const name = fc.oneof(
    fc.constantFrom(
      'page',
      'size',
      'keyword',
      'filter',
      'fields',
      'type',
      'chainId',
      'schemaId',
      'cursor',
      'recipient',
      'revoked',
      'ids',
      'field[score]',
      'field[score][gte]',
      'field%5Ba%5d[in]',
      'field[',
      '__proto__',
      '',
    ),
    fc.stringMatching(/^[!-"$-~]{0,6}$/),
  )
  const value = fc.oneof(
    fc.constantFrom(
      '1',
      '0',
      '',
      'detail',
      'schema',
      composite,
      address,
      '%00',
      '%ED%A0%80',
      '%',
      'undefined',
      '["\\ud800","1"]',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.stringMatching(/^[!-"$-~]{0,20}$/),
  )
  const path = fc.oneof(
    fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
    fc.constantFrom(...queryParameters.map(([known]) => known)),
  )
  const query = fc.array(fc.tuple(name, value), { maxLength: 4 })
  const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PATCH')

  test('the answer is an envelope without a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(method, path, query, async (verb, urlPath, pairs) => {
        // `inject` reads URLs as a browser does, which takes these for a host; the raw fuzz of the server has them.
        fc.pre(!/^\/[/\\]/.test(urlPath))
        const url =
          pairs.length === 0 ? urlPath : `${urlPath}?${pairs.map((pair) => pair.join('=')).join('&')}`
        const response = await app.inject({ method: verb as 'GET', url })
        expect(response.statusCode).toBeLessThan(500)
        if (verb === 'HEAD' || response.statusCode === 204) return
        const body = response.json<Record<string, unknown>>()
        expect(Object.keys(body)).toEqual(['success', 'statusCode', 'data', 'message'])
        expect(body['statusCode']).toBe(response.statusCode)
        expect(body['success']).toBe(response.statusCode === 200)
      }),
      { numRuns: 1500 },
    )
  })
})

/** The URLs whose answer is anything but a short, clean refusal of the parameter `name`. */
async function findWronglyAnswered(urls: readonly string[], name: string): Promise<string[]> {
  const wrong: string[] = []
  for (const url of urls) {
    const response = await app.inject(url)
    const { message, ...rest } = response.json<{ message: string }>()
    const isRefusal =
      response.statusCode === 400 &&
      JSON.stringify(rest) === '{"success":false,"statusCode":400,"data":{}}' &&
      message.startsWith(`${name} `) &&
      message.length < 400 &&
      !/\p{C}/u.test(message)
    if (!isRefusal) wrong.push(`${url} → ${response.statusCode} ${response.body}`)
  }
  return wrong
}

/** The paths of the SDK take the text `undefined` for an absent parameter. */
function withoutUndefined(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== 'undefined')
}

function encodeNonAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]+/g, encodeURIComponent)
}

/** A name's first character as its percent-encoding would have it, and the rest as it is. */
function hexOf(name: string): string {
  return name.charCodeAt(0).toString(16) + name.slice(1)
}
