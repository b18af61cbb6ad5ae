import { afterAll, describe, expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { groupDepthMax } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createServer } from '../../testing/createServer.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleAttestation } from '../../pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'

/** Groups of the 25 attestations of the sample. */

const index = createSampleIndex()
const reader: IndexReader = openTestIndex(index)
let nowMs = 1_800_000_000_000
let groupAttestations = reader.groupAttestations
const app = createServer({
  reader: { ...reader, groupAttestations: (request) => groupAttestations(request) } satisfies IndexReader,
  now: () => unixMilliseconds(nowMs),
})
afterAll(() => app.close())

const path = '/scan/aggregate/attestations'
const id = (localId: string) => `onchain_evm_11155111_${localId}`

async function getGroups(query: string): Promise<unknown> {
  const response = await app.inject(`${path}?${query}`)
  expect([query, response.statusCode]).toEqual([query, 200])
  const { total, groups, rows } = response.json<{
    data: { total: number; groups: number; rows: { key: string; count: number }[] }
  }>().data
  return [total, groups, rows.map(({ key, count }) => `${key} ${count}`)]
}

async function getRefusal(url: string): Promise<string> {
  const response = await app.inject(url)
  expect([url, response.statusCode]).toEqual([url, 400])
  return response.json<{ message: string }>().message
}

describe('groups of attestations', () => {
  const [attester, recipient] = [2, 3].map((n) => checksumAddress(sampleAddress(n)))

  test.each([
    ['by=schema', [25, 3, [`${id('0x1')} 23`, `${id('0x2')} 1`, `${id('0x3e7')} 1`]]],
    ['by=schema&size=1&page=2', [25, 3, [`${id('0x2')} 1`]]],
    ['by=schema&page=9', [25, 3, []]],
    ['by=schema&revoked=true', [2, 2, [`${id('0x2')} 1`, `${id('0x3e7')} 1`]]],
    [`by=schema&schemaId=${id('0x2')}`, [1, 1, [`${id('0x2')} 1`]]],
    ['by=attester', [25, 1, [`${attester} 25`]]],
    ['by=recipient', [25, 4, [`${recipient} 24`, ' 1', '0xdead 1', 'did:key:"z" 1']]],
    [`by=recipient&recipient=${recipient}&size=1`, [24, 4, [`${recipient} 24`]]],
    ['by=chain', [25, 1, ['11155111 25']]],
    ['by=protocol&chainId=11155111', [25, 1, ['sign 25']]],
    ['by=protocol&chainId=1', [0, 0, []]],
    ['by=revoked', [25, 2, ['false 23', 'true 2']]],
    ['by=revoked&revoked=true', [2, 1, ['true 2']]],
    ['by=day', [25, 1, ['2023-11-16 25']]],
    [`by=month&schemaId=${id('0x1')}`, [23, 1, ['2023-11 23']]],
    ['by=day&attestedFrom=1700100024', [2, 1, ['2023-11-16 2']]],
    ['by=day&schemaId=SPS_x', [0, 0, []]],
  ])('%s', async (query, expected) => {
    expect(await getGroups(query)).toEqual(expected)
  })

  test('have links to their other pages, by the number of groups', async () => {
    const { headers } = await app.inject(`${path}?by=schema&size=2`)
    expect(headers['link']).toContain('<?by=schema&size=2&page=2>; rel="last"')
  })

  test('by expiry follow the clock', async () => {
    const validUntil = BigInt(sampleAttestation(5).attestTimestamp) + 100n
    index.attestations = index.attestations.map((each, i) => (i === 4 ? { ...each, validUntil } : each))
    index.version += 1
    nowMs = Number(validUntil) * 1000 - 1
    expect(await getGroups('by=day&expired=true')).toEqual([0, 0, []])
    nowMs += 1
    expect(await getGroups('by=day&expired=true')).toEqual([1, 1, ['2023-11-16 1']])
  })

  test.each([
    ['', /^by is missing/],
    ['?by=', /^by must be schema, attester, .* or field\[name\]; it was ''\.$/],
    ['?by=schemaId', /^by must be/],
    ['?by=day&by=month', /^by is given more than once/],
    ['?by=day&keyword=kyc', /^keyword is no filter of this path/],
    ['?by=day&page=x', /^page must be/],
    ['?by=day&size=101', /^size must be/],
    ['?by=day&attester=x', /^attester must be/],
    ['?by=day&schemaId=1', /^schemaId must be/],
    ['?by=day&recipientHolds[attester]=x', /^recipientHolds\[attester\] must be/],
    [`?by=day&attesterHolds[attester]=${attester}`, /^attesterHolds\[attester\] needs attesterHolds/],
    ['?by=day&attesterHops=2', /^attesterHops needs attesterHolds/],
    [`?by=day&attesterHolds=${id('0x1')}&attesterHops=3`, /^attesterHops must be 1 or 2/],
    ['?by=day&linkedAttestation[in]=["x"]', /^linkedAttestation\[in\]\[0\] must be a composite id/],
    [
      `?by=day&linkedAttestation[in]=${JSON.stringify(Array(101).fill(id('0x1')))}`,
      /1 to 100 .*; it was an array of 101\.$/,
    ],
    ['?by=day&field[level][gt]=1', /^field\[level\]\[gt\] needs schemaId/],
  ])('refuse %s', async (query, message) => {
    expect(await getRefusal(path + query)).toMatch(message)
  })

  test('that take too much counting are refused with the budget and a way out', async () => {
    groupAttestations = () =>
      Promise.reject(
        new StoreTooMuchWorkError('too many rows', { facts: { rowsMax: 7, durationMaxMs: 9, keysMax: 8 } }),
      )
    const message = await getRefusal(`${path}?by=recipient&revoked=false`)
    expect(message).toMatch(
      /^by=recipient .*\(7 attestations, 9 milliseconds or 8 different keys\); narrow it by schemaId, attester/,
    )
    expect(await getRefusal(`${path}?by=recipient&schemaId=${id('0x1')}`)).toMatch(
      /; narrow it by attester, /,
    )
    const query = '{ attestationGroups(by: "recipient") { total } }'
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
    expect(answer.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
    groupAttestations = reader.groupAttestations
  })

  test('have pages among the first of very many alone', async () => {
    const groups = groupDepthMax + 10
    groupAttestations = () => Promise.resolve({ total: groups, groups, rows: [] })
    expect(await getRefusal(`${path}?by=recipient&size=10&page=${groupDepthMax / 10 + 1}`)).toMatch(/^page /)
    expect(await getGroups(`by=recipient&size=10&page=${groupDepthMax / 10}`)).toEqual([groups, groups, []])
    expect(await getGroups('by=recipient&size=10&page=2147483647')).toEqual([groups, groups, []])
    groupAttestations = reader.groupAttestations
  })

  test('are the same in GraphQL', async () => {
    const query = `{ attestationGroups(by: "schema", filter: { revoked: true }, page: 1, size: 1) {
      total groups page size rows { key count } } }`
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
    expect(answer.json()).toEqual({
      data: {
        attestationGroups: {
          total: 2,
          groups: 2,
          page: 1,
          size: 1,
          rows: [{ key: id('0x2'), count: 1 }],
        },
      },
    })
    const wrong = '{ attestationGroups(by: "x") { total } }'
    const refused = await app.inject({ method: 'POST', url: '/graphql', payload: { query: wrong } })
    expect(refused.json<{ errors: { message: string }[] }>().errors[0]?.message).toMatch(/^by must be/)
  })
})
