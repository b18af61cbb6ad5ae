import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  attestationOfAddress,
  attestationRow,
  createExpectedAnswers,
  detailedRow,
  latestRow,
  rankedSchemaRow,
  recipientAddresses,
  schemaOfAddress,
  schemaRow,
  singleAttestation,
  singleSchema,
  type ChainAttestation,
  type ExpectedAnswers,
  type Row,
} from './expectedAnswers.ts'
import { expectListing, expectRefusal, fewSizes, getData } from './servedAnswers.ts'
import { describeSearch } from './describeSearch.ts'
import { stranger } from './keywordCases.ts'
import { serveScenario, type ServedScenario } from './servedScenario.ts'

let scenario: ServedScenario
let answers: ExpectedAnswers

beforeAll(async () => {
  scenario = await serveScenario()
  answers = createExpectedAnswers(scenario.expected)
})
afterAll(() => scenario?.stop())

describe('the lists of a front page', () => {
  test('top: the ten schemas with the most attestations', async () => {
    const rows = answers.top().map((schema) => rankedSchemaRow(schema, answers))
    expect(rows).toHaveLength(10)
    expect(await getData(scenario, '/scan/top-schemas')).toStrictEqual({ rows })
  })

  test('trending: by the attestations of the last 168 hours', async () => {
    const rows = answers.trending().map((schema) => rankedSchemaRow(schema, answers))
    // The test proves nothing unless the two lists differ.
    expect(rows.map(({ id }) => id)).not.toEqual(answers.top().map(({ id }) => id))
    expect(await getData(scenario, '/scan/trending-schemas')).toStrictEqual({ rows })
  })

  test('latest: the ten newest attestations', async () => {
    const rows = answers.attestations.slice(0, 10).map((attestation) => latestRow(attestation, answers))
    expect(await getData(scenario, '/scan/latest-attestations')).toStrictEqual({ rows })
  })
})

describe('a single record', () => {
  test('is each schema as it was registered', async () => {
    for (const schema of answers.schemas) {
      expect(await getData(scenario, `/scan/schemas/${schema.id}`), schema.label).toStrictEqual(
        singleSchema(schema),
      )
    }
  })

  test('is each attestation as it was made, and as it was revoked', async () => {
    expect(answers.attestations.filter(({ revoked }) => revoked).length).toBeGreaterThan(10)
    for (const attestation of answers.attestations) {
      expect(
        await getData(scenario, `/scan/attestations/${attestation.id}`),
        attestation.label,
      ).toStrictEqual(singleAttestation(attestation, answers))
    }
  })

  test.each(['schemas', 'attestations'])('of %s is found whatever the case of its digits', async (kind) => {
    // Both kinds have a record 0x1a.
    const found = await getData(scenario, `/scan/${kind}/onchain_evm_31337_0x1A`)
    expect(found).toStrictEqual(await getData(scenario, `/scan/${kind}/onchain_evm_31337_0x1a`))
    expect(found).toMatchObject({ id: 'onchain_evm_31337_0x1a' })
  })

  test.each(['schemas', 'attestations'])('of %s is a 404 if it is not indexed', async (kind) => {
    for (const id of [
      'onchain_evm_31337_0xffff',
      'onchain_evm_1_0x1',
      'onchain_evm_31337_0x01',
      'onchain_evm_031337_0x1',
      `onchain_evm_31337_0x${'1'.padStart(64, '0')}`,
      `onchain_evm_31337_0x${'f'.repeat(40)}`,
      'offchain_evm_31337_0x1',
      'SPS_abc',
      'SPA_abc',
    ]) {
      await expectRefusal(scenario, `/scan/${kind}/${id}`, 404, id)
    }
  })

  test.each(['schemas', 'attestations'])('of %s is a 400 if the id is invalid', async (kind) => {
    for (const id of [
      '0x1',
      '1',
      'ONCHAIN_EVM_31337_0x1',
      'onchain_evm_31337_',
      'onchain_evm_31337_0xg',
      '%20',
    ]) {
      await expectRefusal(scenario, `/scan/${kind}/${id}`, 400, 'id')
    }
  })
})

describe('a listing', () => {
  test('of schemas, page by page', async () => {
    await expectListing(
      scenario,
      '/scan/schemas',
      answers.schemas.map((schema) => schemaRow(schema, answers)),
    )
  })

  test('of attestations, page by page', async () => {
    await expectListing(scenario, '/scan/attestations', answers.attestations.map(attestationRow))
  })

  test('of attestations with fields=detail, page by page', async () => {
    await expectListing(
      scenario,
      '/scan/attestations?fields=detail',
      answers.attestations.map((attestation) => detailedRow(attestation, answers)),
    )
  })

  test('of the attestations under each schema, page by page', async () => {
    for (const schema of answers.schemas) {
      const under = answers.attestationsOf(schema)
      await expectListing(
        scenario,
        `/scan/attestations?schemaId=${schema.id}`,
        under.map(attestationRow),
        fewSizes,
      )
      await expectListing(
        scenario,
        `/scan/attestations?fields=detail&schemaId=${schema.id.replace('0x', '0X')}`,
        under.map((attestation) => detailedRow(attestation, answers)),
        [100],
      )
    }
  })

  test('under a schema that is not indexed is empty', async () => {
    for (const id of ['onchain_evm_31337_0xffff', 'onchain_evm_1_0x1', 'onchain_evm_31337_0x01', 'SPS_abc']) {
      await expectListing(scenario, `/scan/attestations?schemaId=${id}`, [], [10])
    }
    await expectRefusal(scenario, '/scan/attestations?schemaId=0x1', 400, 'schemaId')
  })

  test('reads page 0 as page 1, a missing size as 10, and ignores empty and unknown parameters', async () => {
    const rows = answers.attestations.map(attestationRow)
    const first = { total: rows.length, rows: rows.slice(0, 10), page: 1, size: 10 }
    for (const query of [
      '',
      'page=0',
      'page=1&size=10',
      'page=001',
      'keyword=&fields=&schemaId=',
      'id=&network=all&keyword=%20',
    ]) {
      expect(await getData(scenario, `/scan/attestations?${query}`), query).toStrictEqual(first)
    }
  })

  test.each(['/scan/schemas', '/scan/attestations', `/scan/addresses/${stranger}/schemas`])(
    'of %s refuses a page or a size that is none',
    async (path) => {
      for (const name of ['page', 'size']) {
        for (const value of ['-1', '1.0', '1e1', '0x1', '%201', '', 'NaN', '99999999999']) {
          await expectRefusal(scenario, `${path}?${name}=${value}`, 400, name)
        }
        await expectRefusal(scenario, `${path}?${name}=1&${name}=1`, 400, name)
      }
      await expectRefusal(scenario, `${path}?size=101`, 400, 'size')
      await expectRefusal(scenario, `${path}?size=0`, 400, 'size')
    },
  )

  test('refuses fields that it does not know', async () => {
    await expectRefusal(scenario, '/scan/attestations?fields=all', 400, 'detail')
  })
})

describe('an address', () => {
  test('has its statistics', async () => {
    for (const address of [...answers.addresses, stranger]) {
      const path = `/scan/addresses/${address}/statistics`
      expect(await getData(scenario, path), address).toStrictEqual(answers.statistics(address))
      const written = `/scan/addresses/${address.toLowerCase()}/statistics`
      expect(await getData(scenario, written), address).toStrictEqual(answers.statistics(address))
    }
  })

  test('has the schemas that it registered, page by page', async () => {
    for (const address of [...answers.addresses, stranger]) {
      const rows = answers.schemas.filter(({ registrant }) => registrant === address).map(schemaOfAddress)
      await expectListing(scenario, `/scan/addresses/${address}/schemas`, rows, fewSizes)
    }
  })

  test('has the attestations that it made or received, page by page', async () => {
    for (const address of [...answers.addresses, stranger]) {
      const path = `/scan/addresses/${address}/attestations`
      const select = (keep: (attestation: ChainAttestation) => boolean): readonly Row[] =>
        answers.attestations
          .filter(keep)
          .map((attestation) => attestationOfAddress(attestation, address, answers))
      const made = (attestation: ChainAttestation): boolean => attestation.attester === address
      const received = (attestation: ChainAttestation): boolean =>
        recipientAddresses(attestation).includes(address)
      const either = (attestation: ChainAttestation): boolean => made(attestation) || received(attestation)
      await expectListing(scenario, path, select(either), fewSizes)
      await expectListing(scenario, `${path}?type=created`, select(made), fewSizes)
      await expectListing(scenario, `${path}?type=received`, select(received), fewSizes)
      await expectListing(
        scenario,
        `${path}?chainId=11155111`,
        select((each) => each.chainId === 11_155_111 && either(each)),
        fewSizes,
      )
      await expectListing(
        scenario,
        `${path}?schemaId=0x1&type=received`,
        select((each) => each.schemaLocalId === '0x1' && received(each)),
        fewSizes,
      )
      await expectListing(
        scenario,
        `${path}?schemaId=0x1&chainId=31337`,
        select((each) => each.fullSchemaId === 'onchain_evm_31337_0x1' && either(each)),
        fewSizes,
      )
      await expectListing(
        scenario,
        `${path}?schemaId=onchain_evm_11155111_0x1`,
        select((each) => each.fullSchemaId === 'onchain_evm_11155111_0x1' && either(each)),
        fewSizes,
      )
      await expectListing(scenario, `${path}?schemaId=onchain_evm_11155111_0x1&chainId=31337`, [], [10])
      await expectListing(scenario, `${path}?chainId=1`, [], [10])
    }
  })

  test('is refused if invalid, and so are invalid filters', async () => {
    for (const listing of ['statistics', 'schemas', 'attestations']) {
      for (const text of ['0x1', `${stranger}0`, stranger.slice(2), 'vitalik.eth']) {
        await expectRefusal(scenario, `/scan/addresses/${text}/${listing}`, 400, 'address')
      }
    }
    const path = `/scan/addresses/${stranger}/attestations`
    await expectRefusal(scenario, `${path}?type=sent`, 400, 'type')
    await expectRefusal(scenario, `${path}?chainId=evm`, 400, 'chainId')
    await expectRefusal(scenario, `${path}?schemaId=x`, 400, 'schemaId')
  })
})

describe('every endpoint', () => {
  const paths = [
    '/scan/search?keyword=usual',
    '/scan/top-schemas',
    '/scan/trending-schemas',
    '/scan/latest-attestations',
    '/scan/schemas?page=2&size=3',
    '/scan/schemas/onchain_evm_31337_0x1',
    '/scan/attestations?schemaId=onchain_evm_31337_0x1',
    '/scan/attestations?fields=detail&page=2',
    '/scan/attestations/onchain_evm_31337_0x1',
    '/scan/addresses/0x8ba1f109551bD432803012645Ac136ddd64DBA72/statistics',
    '/scan/addresses/0x70997970C51812dc3A010C7d01b50e0d17dc79C8/schemas',
    '/scan/addresses/0x8ba1f109551bD432803012645Ac136ddd64DBA72/attestations?size=2',
  ]

  test.each(paths)('%s answers alike under /api, with a slash at the end, and to HEAD', async (path) => {
    const answer = await fetch(scenario.url + path)
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ success: true, statusCode: 200, message: 'ok' })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const [bare, query] = path.split('?')
    const slashed = query === undefined ? `${bare}/` : `${bare}/?${query}`
    for (const twin of [`/api${path}`, slashed, `/api${slashed}`]) {
      const other = await fetch(scenario.url + twin)
      expect(other.status, twin).toBe(200)
      expect(await other.text(), twin).toBe(text)
    }
    const head = await fetch(scenario.url + path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    for (const name of ['content-type', 'etag', 'content-length', 'content-encoding']) {
      expect(head.headers.get(name), name).toBe(answer.headers.get(name))
    }
  })

  test.each(paths)('%s has an ETag that spares sending it again', async (path) => {
    const etag = (await fetch(scenario.url + path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[^"]+"$/)
    for (const tags of [etag, `"other", ${etag}`, '*']) {
      const again = await fetch(scenario.url + path, { headers: { 'if-none-match': tags } })
      expect(again.status, tags).toBe(304)
      expect(await again.text()).toBe('')
      expect(again.headers.get('etag')).toBe(etag)
    }
    const changed = await fetch(scenario.url + path, { headers: { 'if-none-match': '"other"' } })
    expect(changed.status).toBe(200)
    await changed.text()
  })
})

describeSearch(() => ({ scenario, answers }))

test('readyz reports the state and the counts of each chain', async () => {
  const ready = (await getData(scenario, '/readyz')) as { status: string; chains: readonly Row[] }
  expect(ready.status).toBe('ready')
  const expected = [...scenario.expected].sort((a, b) => a.chainId - b.chainId)
  expect(ready.chains).toEqual(
    expected.map(({ chainId, headNumber, schemas, attestations, anchors }) =>
      expect.objectContaining({
        chainId: String(chainId),
        name: `Chain ${chainId}`,
        phase: 'following',
        headBlock: headNumber,
        indexedBlock: headNumber,
        reachedHead: true,
        lastError: null,
        schemaCount: schemas.length,
        attestationCount: attestations.length,
        revocationCount: attestations.filter(({ revoked }) => revoked).length,
        undecodableCount: 0,
        anchorCounts: {
          OffchainAttestationMade: anchors.made,
          OffchainAttestationRevoked: anchors.revoked,
        },
      }),
    ),
  )
})
