import { afterAll, describe, expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { createServer } from '../../testing/createServer.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAddress } from '../../pipeline/testing/sampleRecords.ts'

const index = createSampleIndex()
const reader: IndexReader = openTestIndex(index)
const now = () => unixMilliseconds(1_800_000_000_000)
const app = createServer({ reader: openTestIndex(index), now })
afterAll(() => app.close())

const id = (localId: string) => `onchain_evm_11155111_${localId}`
const statusPath = '/scan/attestations/status'
const holdersPath = '/scan/holders'
const [attester, recipient, nobody] = [2, 3, 4].map((number) => sampleAddress(number))

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  return await app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

interface Answer {
  readonly message: string
  readonly data: { readonly rows: readonly Readonly<Record<string, unknown>>[] }
}

function read(response: { json<Body>(): Body }): Answer {
  return response.json<Answer>()
}

async function getRows(url: string): Promise<Answer['data']['rows']> {
  return read(await app.inject(url)).data.rows
}

async function postData(url: string, body: unknown): Promise<Record<string, readonly unknown[]>> {
  const response = await post(url, body)
  expect([response.statusCode, read(response).message]).toEqual([200, 'ok'])
  return response.json<{ data: Record<string, readonly unknown[]> }>().data
}

async function refusal(url: string, body: unknown, statusCode = 400): Promise<string> {
  const response = await post(url, body)
  expect([response.body, response.statusCode]).toEqual([response.body, statusCode])
  return response.json<{ message: string }>().message
}

describe('the status of many attestations', () => {
  test('is answered for each id as sent, in the order of the ids, with the indexed block of each chain', async () => {
    const revoked = (await getRows('/scan/attestations?revoked=true&size=1'))[0]?.['id']
    const ids = [
      id('0x1').replace('0x1', '0X1'),
      revoked,
      id('0xfff'),
      'offchain_evm_1_"x"',
      id('0x01'),
      revoked,
    ]
    const { rows, chains } = await postData(statusPath, { ids })
    const statuses = ['valid', 'revoked', 'unknown', 'unknown', 'unknown', 'revoked']
    expect(rows).toEqual(ids.map((each, place) => ({ id: each, status: statuses[place] })))
    const known = await getRows('/scan/chains')
    expect(chains).toEqual(
      known.map(({ chainId, indexedBlock, indexedTimestamp }) => ({
        chainId,
        indexedBlock,
        indexedTimestamp,
        reason: null,
      })),
    )
  })

  test('has the chains where no id can be known', async () => {
    const { rows, chains } = await postData(`/api${statusPath}/`, { ids: ['SPA_x'] })
    expect(rows).toEqual([{ id: 'SPA_x', status: 'unknown' }])
    expect(chains?.length).toBeGreaterThan(0)
  })

  test.each([
    ['', 'The body is missing; send a JSON object with ids, protocol, asOf.'],
    ['{', 'The body is not valid JSON; send a JSON object.'],
    ['[]', 'The body is not a JSON object; send one with ids, protocol, asOf.'],
    ['null', 'The body is not a JSON object; send one with ids, protocol, asOf.'],
    [{}, 'ids must be a list of 1 to 10,000 composite ids; it is missing.'],
    [{ ids: 'x' }, "ids must be a list of 1 to 10,000 composite ids; it was 'x'."],
    [{ ids: [] }, 'ids must be a list of 1 to 10,000 composite ids; it has 0.'],
    [{ ids: [id('0x1')], size: 1 }, "'size' is no member of this body; its members are ids, protocol, asOf."],
    [{ ids: [id('0x1'), 7] }, 'ids[1] must be a text; it was 7.'],
    [
      { ids: [id('0x1'), id('0x2'), 'KYC'] },
      `ids[2] must be a composite id onchain_evm_<chain number>_0x<hexadecimal digits> such as ${id('0x1a')}; it was 'KYC'.`,
    ],
  ])('refuses %j', async (body, message) => {
    expect(await refusal(statusPath, body)).toBe(message)
  })

  test('takes as many ids as it says, and no longer body', async () => {
    const ids = Array.from({ length: 10_000 }, (_, number) => id(`0x${(number + 1).toString(16)}`))
    expect((await postData(statusPath, { ids })).rows).toHaveLength(10_000)
    const sentence = 'ids must be a list of 1 to 10,000 composite ids; it has 10,001.'
    expect(await refusal(statusPath, { ids: [...ids, id('0x1')] })).toBe(sentence)
    expect(await refusal(statusPath, ' '.repeat(2 * 1024 * 1024 + 1), 413)).toMatch(/^The body is longer/)
  })
})

describe('the holders among many addresses', () => {
  test('are answered with the newest valid attestation, in the order of the addresses', async () => {
    const addresses = [nobody, recipient, recipient?.toUpperCase().replace('0X', '0x')]
    const { rows } = await postData(holdersPath, { addresses, schemaId: id('0x1') })
    const filter = `schemaId=${id('0x1')}&recipient=${recipient}&revoked=false&expired=false`
    const newest = (await getRows(`/scan/attestations?${filter}`))[0]?.['id']
    expect(rows).toEqual(
      addresses.map((address, place) => ({
        address,
        attestation: place === 0 ? null : newest,
        verdict: place === 0 ? 'no' : 'yes',
      })),
    )
  })

  test('are those at a time, of an attester, under a schema', async () => {
    const ask = async (more: object) => {
      const { rows } = await postData(holdersPath, { addresses: [recipient], schemaId: id('0x1'), ...more })
      return (rows?.[0] as { attestation: string | null } | undefined)?.attestation
    }
    const filter = `schemaId=${id('0x1')}&recipient=${recipient}&validAt=1700100010`
    const then = (await getRows(`/scan/attestations?${filter}`))[0]?.['id']
    expect(await ask({ validAt: 1_700_100_010 })).toBe(then)
    expect(await ask({ validAt: 0 })).toBeNull()
    expect(await ask({ attester, validAt: 1_700_100_010 })).toBe(then)
    expect(await ask({ attester: nobody })).toBeNull()
    expect(await ask({ schemaId: id('0xfff') })).toBeNull()
    expect(await ask({ schemaId: 'SPS_x' })).toBeNull()
  })

  const addresses = [recipient]
  test.each([
    [{ addresses }, 'schemaId must be a text; it is missing.'],
    [{ addresses, schemaId: '0x1' }, expect.stringMatching(/^schemaId must be a composite id .*'0x1'\.$/)],
    [{ schemaId: id('0x1') }, 'addresses must be a list of 1 to 10,000 addresses; it is missing.'],
    [
      { addresses: [recipient, '0x12'], schemaId: id('0x1') },
      "addresses[1] must be 0x followed by 40 hexadecimal digits; it was '0x12'.",
    ],
    [{ addresses, schemaId: id('0x1'), attester: {} }, 'attester must be a text; it was an object.'],
    [
      { addresses, schemaId: id('0x1'), validAt: '1' },
      "validAt must be a whole number from 0 to 253402300799; it was '1'.",
    ],
    [
      { addresses, schemaId: id('0x1'), page: 1 },
      "'page' is no member of this body; its members are addresses, schemaId, protocol, attester, validAt, asOf, maxStaleness.",
    ],
  ])('refuses %j', async (body, message) => {
    expect(await refusal(holdersPath, body)).toEqual(message)
  })

  test('says so of an address of which too much would have to be looked at, and answers for the others', async () => {
    const limited = createServer({
      reader: { ...reader, findHoldings: () => Promise.resolve([[], null]) },
    })
    const response = await limited.inject({
      method: 'POST',
      url: holdersPath,
      payload: { addresses: [nobody, recipient], schemaId: id('0x1') },
    })
    await limited.close()
    const unknown = expect.stringMatching(/^The address received more/) as string
    expect(response.json()).toMatchObject({
      data: {
        rows: [
          { address: nobody, attestation: null },
          { address: recipient, attestation: null, unknown },
        ],
      },
    })
  })

  test('asks for fewer addresses if all of them take too long', async () => {
    const findHoldings = () => Promise.reject(new StoreTooMuchWorkError('too many rows'))
    const bounded = createServer({ reader: { ...reader, findHoldings }, now })
    const payload = { addresses: [recipient, nobody], schemaId: id('0x1') }
    const response = await bounded.inject({ method: 'POST', url: holdersPath, payload })
    await bounded.close()
    expect([response.statusCode, read(response).message]).toEqual([
      400,
      'The attestations of these 2 addresses take longer than one answer may; send fewer addresses at a time.',
    ])
  })
})

describe.each([statusPath, holdersPath, `/api${statusPath}`])('%s', (url) => {
  test('is asked by POST alone', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'] as const) {
      const response = await app.inject({ method, url })
      expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    }
  })

  test('lets a preflight pass', async () => {
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'POST' }
    const response = await app.inject({ method: 'OPTIONS', url, headers })
    expect(response.statusCode).toBe(204)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': expect.stringContaining('content-type'),
    })
  })

  test('refuses a body that is not said to be JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const response = await post(url, '{}', { 'content-type': type })
      expect([response.statusCode, read(response).message]).toEqual([
        415,
        expect.stringMatching(/application\/json/),
      ])
    }
  })

  test('is not kept by caches, and is compressed', async () => {
    const body = url.endsWith('holders')
      ? { addresses: Array.from({ length: 50 }, () => nobody), schemaId: id('0x1') }
      : { ids: Array.from({ length: 50 }, () => id('0x1')) }
    const response = await post(url, body, { 'accept-encoding': 'gzip' })
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'content-encoding': 'gzip' })
    expect(response.headers.etag).toBeUndefined()
  })
})
