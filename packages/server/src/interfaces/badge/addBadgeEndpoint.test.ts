import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { createServer } from '../../testing/createServer.ts'
import { createSampleIndex, sampleChain } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAttestation } from '../../pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'

const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index) })
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
})

const id = 'onchain_evm_11155111_0x'

describe('a badge', () => {
  test.each([
    ['5', 'valid', /^Attestation 0x5 on Sepolia is valid; it was attested in block \d+\.$/],
    ['3', 'revoked', /^Attestation 0x3 on Sepolia is revoked; it was revoked in block \d+\.$/],
    ['6', 'expired', /^Attestation 0x6 on Sepolia is expired; it was attested in block \d+\.$/],
    ['ffff', 'unknown', /^This attestation is not indexed here\.$/],
  ])('of 0x%s tells that it is %s, in words too', async (digits, state, title) => {
    index.attestations = index.attestations.with(5, sampleAttestation(6, { validUntil: 1_700_000_001n }))
    const { statusCode, headers, body } = await app.inject(`/badge/${id}${digits}.svg`)
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(headers['cache-control']).toBe('public, max-age=60')
    expect(/<title>([^<]*)<\/title>/.exec(body)?.[1]).toMatch(title)
    expect(body).toMatch(new RegExp(`>${state}( · block [\\d,]+)?</text>`))
  })

  test('shows the block of the revocation, not that of the attestation', async () => {
    index.revocations = {}
    index.version++
    const { body } = await app.inject(`/badge/${id}3.svg`)
    const attested = Number(/attested in block (\d+)/.exec(body)?.[1])
    index.revocations = createSampleIndex().revocations
    index.version++
    const revoked = await app.inject(`/badge/${id}3.svg`)
    expect(Number(/revoked in block (\d+)/.exec(revoked.body)?.[1])).toBeGreaterThan(attested)
  })

  test('runs no script, whatever the name of the chain', async () => {
    index.chains = [sampleChain({ name: '</text><script>alert("1")</script>\u202E\u0000&' })]
    const { headers, body } = await app.inject(`/badge/${id}5.svg`)
    expect(body).not.toMatch(/<script|\p{Cf}|\p{Cc}|&(?!#\d+;)/u)
    expect(body).toContain('&#60;/text&#62;&#60;script&#62;')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
  })

  test('of a chain whose name cannot be seen has its number', async () => {
    index.chains = [sampleChain({ name: '\u202E' })]
    expect((await app.inject(`/badge/${id}5.svg`)).body).toContain('>chain 11155111</text>')
  })

  test('is not sent again while it holds', async () => {
    const { headers } = await app.inject(`/api/badge/${id}5.svg`)
    const again = await app.inject({
      url: `/api/badge/${id}5.svg`,
      headers: { 'if-none-match': `${headers.etag}` },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
})

test.each([
  ['/badge/x.svg', /^file must be a composite id .*; it was 'x'\.$/],
  [`/badge/${id}5`, /^file must be a composite id of an attestation and \.svg, such as .*\.$/],
  [`/badge/${id}5.svg?protocol=x`, /^protocol must be /],
])('%s is refused with the mistake', async (url, message) => {
  const { statusCode, body } = await app.inject(url)
  expect(statusCode).toBe(400)
  expect((JSON.parse(body) as { message: string }).message).toMatch(message)
})

test('an index that cannot be read is no unknown attestation', async () => {
  index.failure = new StoreUnavailableError('gone')
  expect((await app.inject(`/badge/${id}5.svg`)).statusCode).toBe(503)
})

test('a badge needs a key where the records need one', async () => {
  const access = { private: { scan: ['/scan', '/badge'] }, anonymous: true, origins: '*' } as const
  const closed = createServer({ reader: openTestIndex(index), access })
  expect((await closed.inject(`/badge/${id}5.svg`)).statusCode).toBe(401)
  await closed.close()
})
