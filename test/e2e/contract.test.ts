import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  attestationOfAddress,
  attestationRow,
  createExpectedAnswers,
  detailedRow,
  foundAddress,
  foundAttestation,
  foundSchema,
  latestRow,
  rankedSchemaRow,
  recipientAddresses,
  schemaOfAddress,
  schemaRow,
  singleAttestation,
  singleSchema,
  type ChainAttestation,
  type ChainSchema,
  type ExpectedAnswers,
  type Row,
} from './expectedAnswers.ts'
import { serveScenario, type ServedScenario } from './servedScenario.ts'

const pageSizes = [1, 3, 10, 100]
const stranger = '0x00000000000000000000000000000000DeaDBeef'

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
    expect(await getData('/scan/top-schemas')).toStrictEqual({ rows })
  })

  test('trending: by what was attested in the last 168 hours', async () => {
    const rows = answers.trending().map((schema) => rankedSchemaRow(schema, answers))
    // The scenario must tell the two lists apart.
    expect(rows.map(({ id }) => id)).not.toEqual(answers.top().map(({ id }) => id))
    expect(await getData('/scan/trending-schemas')).toStrictEqual({ rows })
  })

  test('latest: the ten newest attestations', async () => {
    const rows = answers.attestations.slice(0, 10).map((attestation) => latestRow(attestation, answers))
    expect(await getData('/scan/latest-attestations')).toStrictEqual({ rows })
  })
})

describe('a single record', () => {
  test('is each schema as it was registered', async () => {
    for (const schema of answers.schemas) {
      expect(await getData(`/scan/schemas/${schema.id}`), schema.label).toStrictEqual(singleSchema(schema))
    }
  })

  test('is each attestation as it was made, and as it was revoked', async () => {
    expect(answers.attestations.filter(({ revoked }) => revoked).length).toBeGreaterThan(10)
    for (const attestation of answers.attestations) {
      expect(await getData(`/scan/attestations/${attestation.id}`), attestation.label).toStrictEqual(
        singleAttestation(attestation, answers),
      )
    }
  })

  test.each(['schemas', 'attestations'])('of %s is found whatever the case of its digits', async (kind) => {
    // Both kinds have a record 0x1a.
    const found = await getData(`/scan/${kind}/onchain_evm_31337_0x1A`)
    expect(found).toStrictEqual(await getData(`/scan/${kind}/onchain_evm_31337_0x1a`))
    expect(found).toMatchObject({ id: 'onchain_evm_31337_0x1a' })
  })

  test.each(['schemas', 'attestations'])('of %s is a 404 where none is indexed', async (kind) => {
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
      await expectRefusal(`/scan/${kind}/${id}`, 404, id)
    }
  })

  test.each(['schemas', 'attestations'])('of %s is a 400 where the id is none', async (kind) => {
    for (const id of [
      '0x1',
      '1',
      'ONCHAIN_EVM_31337_0x1',
      'onchain_evm_31337_',
      'onchain_evm_31337_0xg',
      '%20',
    ]) {
      await expectRefusal(`/scan/${kind}/${id}`, 400, 'id')
    }
  })
})

describe('a listing', () => {
  test('of schemas, page by page', async () => {
    await expectListing(
      '/scan/schemas',
      answers.schemas.map((schema) => schemaRow(schema, answers)),
    )
  })

  test('of attestations, page by page', async () => {
    await expectListing('/scan/attestations', answers.attestations.map(attestationRow))
  })

  test('of attestations with fields=detail, page by page', async () => {
    await expectListing(
      '/scan/attestations?fields=detail',
      answers.attestations.map((attestation) => detailedRow(attestation, answers)),
    )
  })

  test('of the attestations under each schema, page by page', async () => {
    for (const schema of answers.schemas) {
      const under = answers.attestationsOf(schema)
      await expectListing(`/scan/attestations?schemaId=${schema.id}`, under.map(attestationRow))
      await expectListing(
        `/scan/attestations?fields=detail&schemaId=${schema.id.replace('0x', '0X')}`,
        under.map((attestation) => detailedRow(attestation, answers)),
        [100],
      )
    }
  })

  test('under a schema that is not indexed is empty', async () => {
    for (const id of ['onchain_evm_31337_0xffff', 'onchain_evm_1_0x1', 'onchain_evm_31337_0x01', 'SPS_abc']) {
      await expectListing(`/scan/attestations?schemaId=${id}`, [], [10])
    }
    await expectRefusal('/scan/attestations?schemaId=0x1', 400, 'schemaId')
  })

  test('takes page 0 for the first, ten for the size, and an empty or unknown parameter for none', async () => {
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
      expect(await getData(`/scan/attestations?${query}`), query).toStrictEqual(first)
    }
  })

  test.each(['/scan/schemas', '/scan/attestations', `/scan/addresses/${stranger}/schemas`])(
    'of %s refuses a page or a size that is none',
    async (path) => {
      for (const name of ['page', 'size']) {
        for (const value of ['-1', '1.0', '1e1', '0x1', '%201', '', 'NaN', '99999999999']) {
          await expectRefusal(`${path}?${name}=${value}`, 400, name)
        }
        await expectRefusal(`${path}?${name}=1&${name}=1`, 400, name)
      }
      await expectRefusal(`${path}?size=101`, 400, 'size')
      await expectRefusal(`${path}?size=0`, 400, 'size')
    },
  )

  test('refuses fields that it does not know', async () => {
    await expectRefusal('/scan/attestations?fields=all', 400, 'detail')
  })
})

describe('an address', () => {
  test('has its statistics', async () => {
    for (const address of [...answers.addresses, stranger]) {
      const path = `/scan/addresses/${address}/statistics`
      expect(await getData(path), address).toStrictEqual(answers.statistics(address))
      const written = `/scan/addresses/${address.toLowerCase()}/statistics`
      expect(await getData(written), address).toStrictEqual(answers.statistics(address))
    }
  })

  test('has the schemas that it registered, page by page', async () => {
    for (const address of [...answers.addresses, stranger]) {
      const rows = answers.schemas.filter(({ registrant }) => registrant === address).map(schemaOfAddress)
      await expectListing(`/scan/addresses/${address}/schemas`, rows)
    }
  })

  test('has the attestations that it made or received, page by page', async () => {
    for (const address of [...answers.addresses, stranger]) {
      const path = `/scan/addresses/${address}/attestations`
      const select = (keep: (attestation: ChainAttestation) => boolean): readonly Row[] =>
        answers.attestations.filter(keep).map((attestation) => attestationOfAddress(attestation, answers))
      const made = (attestation: ChainAttestation): boolean => attestation.attester === address
      const received = (attestation: ChainAttestation): boolean =>
        recipientAddresses(attestation).includes(address)
      const either = (attestation: ChainAttestation): boolean => made(attestation) || received(attestation)
      await expectListing(path, select(either))
      await expectListing(`${path}?type=created`, select(made))
      await expectListing(`${path}?type=received`, select(received))
      await expectListing(
        `${path}?chainId=11155111`,
        select((each) => each.chainId === 11_155_111 && either(each)),
        [3, 100],
      )
      await expectListing(
        `${path}?schemaId=0x1&type=received`,
        select((each) => each.schemaLocalId === '0x1' && received(each)),
        [3, 100],
      )
      await expectListing(
        `${path}?schemaId=0x1&chainId=31337`,
        select((each) => each.fullSchemaId === 'onchain_evm_31337_0x1' && either(each)),
        [3, 100],
      )
      await expectListing(
        `${path}?schemaId=onchain_evm_11155111_0x1`,
        select((each) => each.fullSchemaId === 'onchain_evm_11155111_0x1' && either(each)),
        [3, 100],
      )
      await expectListing(`${path}?schemaId=onchain_evm_11155111_0x1&chainId=31337`, [], [10])
      await expectListing(`${path}?chainId=1`, [], [10])
    }
  })

  test('that is none is refused, and so are filters that are none', async () => {
    for (const listing of ['statistics', 'schemas', 'attestations']) {
      for (const text of ['0x1', `${stranger}0`, stranger.slice(2), 'vitalik.eth']) {
        await expectRefusal(`/scan/addresses/${text}/${listing}`, 400, 'address')
      }
    }
    const path = `/scan/addresses/${stranger}/attestations`
    await expectRefusal(`${path}?type=sent`, 400, 'type')
    await expectRefusal(`${path}?chainId=evm`, 400, 'chainId')
    await expectRefusal(`${path}?schemaId=x`, 400, 'schemaId')
  })
})

/** What a keyword of each class must find; nothing where nothing is said. */
interface KeywordCase {
  readonly keyword: string
  readonly schema?: (schema: ChainSchema) => boolean
  readonly attestation?: (attestation: ChainAttestation) => boolean
  readonly addresses?: (address: string) => boolean
}

describe('a keyword', () => {
  const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
  const recipient = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
  const zeroAddress = '0x0000000000000000000000000000000000000000'
  const ofAddress =
    (address: string) =>
    (attestation: ChainAttestation): boolean =>
      attestation.attester === address ||
      recipientAddresses(attestation).includes(address) ||
      attestation.indexingValue.toLowerCase() === address.toLowerCase()
  const contains =
    (text: string) =>
    ({ name, description }: ChainSchema): boolean =>
      [name, description].some((of) => of.normalize('NFC').toLowerCase().includes(text))
  const labelled = (label: string): ChainAttestation => {
    const found = answers.attestations.find((attestation) => attestation.label === label)
    if (found === undefined) throw new Error(`the scenario has no attestation ${label}`)
    return found
  }

  const cases: Record<string, () => KeywordCase[]> = {
    'that is a composite id': () => [
      {
        keyword: 'onchain_evm_31337_0x1',
        schema: ({ id }) => id === 'onchain_evm_31337_0x1',
        attestation: ({ id }) => id === 'onchain_evm_31337_0x1',
      },
      { keyword: 'onchain_evm_31337_0xFFFF' },
      { keyword: 'SPA_abc' },
    ],
    'that is an address': () =>
      [recipient, recipient.toLowerCase(), ` ${recipient.toUpperCase().replace('0X', '0x')} `]
        .map(
          (keyword): KeywordCase => ({
            keyword,
            attestation: ofAddress(recipient),
            addresses: (address) => address === recipient,
          }),
        )
        .concat(
          ['registrant', 'resolver'].map((role): KeywordCase => {
            const schema = answers.schemas.find(({ label }) => label === 'with a hook')
            const keyword = (role === 'registrant' ? schema?.registrant : schema?.resolver) ?? ''
            return {
              keyword,
              schema: ({ registrant, resolver }) => registrant === keyword || resolver === keyword,
              attestation: ofAddress(keyword),
              addresses: (address) => address === keyword,
            }
          }),
          [{ keyword: labelled('to oneself').attester }].map(
            ({ keyword }): KeywordCase => ({
              keyword,
              attestation: ofAddress(keyword),
              addresses: (address) => address === keyword,
            }),
          ),
          { keyword: stranger },
          // A schema with a resolver of all zeros has none.
          {
            keyword: zeroAddress,
            attestation: ofAddress(zeroAddress),
            addresses: (address) => address === zeroAddress,
          },
        ),
    'that is the hash of a creating transaction': () => {
      const batch = labelled('of many, 3').transactionHash
      const schema = answers.schemas[0]?.transactionHash ?? ''
      return [
        { keyword: batch.toUpperCase().replace('0X', '0x'), attestation: (a) => a.transactionHash === batch },
        { keyword: schema, schema: (s) => s.transactionHash === schema },
        { keyword: labelled('flat payload').revokeTransactionHash },
      ]
    },
    'that begins local ids': () => [
      {
        keyword: '0x1',
        schema: ({ localId }) => localId.startsWith('0x1'),
        attestation: ({ localId }) => localId.startsWith('0x1'),
      },
      {
        keyword: '0X1A',
        schema: ({ localId }) => localId === '0x1a',
        attestation: ({ localId }) => localId.startsWith('0x1a'),
      },
      {
        keyword: '0x01',
        attestation: ({ indexingValue, recipients }) => [indexingValue, ...recipients].includes('0x01'),
      },
      {
        keyword: '0x07',
        attestation: ({ indexingValue, recipients }) => [indexingValue, ...recipients].includes('0x07'),
      },
      { keyword: '0xC0FFEE', attestation: ({ recipients }) => recipients.includes('0xc0ffee') },
      { keyword: '0x8ba1f1', addresses: (address) => address.toLowerCase().startsWith('0x8ba1f1') },
      { keyword: '0x8ba1f' },
    ],
    'that is a number': () => [
      {
        keyword: '26',
        schema: (schema) => schema.localId === '0x1a' || contains('26')(schema),
        attestation: ({ localId, indexingValue }) => localId === '0x1a' || indexingValue === '26',
      },
      {
        keyword: '00001',
        schema: (schema) => schema.localId === '0x1',
        attestation: ({ localId }) => localId === '0x1',
      },
      { keyword: '100', schema: contains('100'), attestation: ({ localId }) => localId === '0x64' },
      { keyword: '18446744073709551616' },
    ],
    'that is a text': () => [
      ...[
        'harbour',
        'USUAL',
        'twin',
        'for',
        '証明',
        '書',
        '🎓',
        'شهادة',
        '100%',
        '"quoted"',
        'snake_case',
        'and',
        'café',
        '<b>',
        'a',
        '%',
        '_',
      ].map((keyword): KeywordCase => ({ keyword, schema: contains(keyword.toLowerCase()) })),
      { keyword: 'CAFE\u0301', schema: contains('café') },
      { keyword: ' only a name ', schema: contains('only a name') },
      { keyword: 'a%n' },
      { keyword: "' OR 1=1 --" },
      { keyword: 'two' },
      { keyword: 'did:key' },
    ],
    'that is a value': () => [
      {
        keyword: did,
        attestation: ({ indexingValue, recipients }) => indexingValue === did || recipients.includes(did),
      },
      { keyword: did.toUpperCase() },
      { keyword: 'invoice-26', attestation: ({ indexingValue }) => indexingValue === 'invoice-26' },
      {
        keyword: 'same',
        schema: contains('same'),
        attestation: ({ indexingValue }) => indexingValue === 'same',
      },
      {
        keyword: '索引 🔑 "100%" _',
        attestation: ({ indexingValue }) => indexingValue === '索引 🔑 "100%" _',
      },
      {
        keyword: '田中 美咲 <t@example.jp>',
        attestation: ({ recipients }) => recipients.includes('田中 美咲 <t@example.jp>'),
      },
    ],
  }

  test.each(Object.keys(cases))('%s finds in a search what it should, and nothing else', async (name) => {
    for (const { keyword, schema, attestation, addresses } of cases[name]?.() ?? []) {
      const path = `/scan/search?keyword=${encodeURIComponent(keyword)}`
      const groups = [
        { type: 'schema', rows: answers.schemas.filter(schema ?? nothing).map(foundSchema) },
        {
          type: 'attestation',
          rows: answers.attestations.filter(attestation ?? nothing).map(foundAttestation),
        },
        {
          type: 'address',
          rows: answers.addresses
            .filter(addresses ?? nothing)
            .map((address) => foundAddress(address, answers)),
        },
      ]
      const { queryResult } = (await getData(path)) as { queryResult: readonly SearchGroup[] }
      expect(queryResult.map(({ type }) => type)).toEqual(groups.map(({ type }) => type))
      for (const [i, { type, rows }] of groups.entries()) {
        const group = queryResult[i] ?? { type, rows: [], total: Number.NaN }
        expect(group.total, `${keyword}: ${type}`).toBe(rows.length)
        expect(Object.keys(group).sort()).toEqual(['rows', 'total', 'type'])
        // Which ten are the best is the search's own affair, unless there are no more.
        expect(group.rows, `${keyword}: ${type}`).toHaveLength(Math.min(10, rows.length))
        for (const row of group.rows) expect(rows).toContainEqual(row)
        expect(new Set(group.rows.map((row) => row.id ?? row.address)).size).toBe(group.rows.length)
        expect(await getData(`${path}&filter=${type}`)).toStrictEqual({ queryResult: [group] })
      }
    }
  })

  test.each(Object.keys(cases))('%s filters the listings alike, in their order', async (name) => {
    for (const { keyword, schema, attestation } of cases[name]?.() ?? []) {
      const query = `keyword=${encodeURIComponent(keyword)}`
      const schemas = answers.schemas.filter(schema ?? nothing)
      const attestations = answers.attestations.filter(attestation ?? nothing)
      await expectListing(
        `/scan/schemas?${query}`,
        schemas.map((each) => schemaRow(each, answers)),
        [3, 100],
      )
      await expectListing(`/scan/attestations?${query}`, attestations.map(attestationRow), [3, 100])
      await expectListing(
        `/scan/attestations?fields=detail&schemaId=onchain_evm_31337_0x1&${query}`,
        attestations
          .filter(({ fullSchemaId }) => fullSchemaId === 'onchain_evm_31337_0x1')
          .map((each) => detailedRow(each, answers)),
        [3, 100],
      )
    }
  })

  test('that is exact comes before those that it begins', async () => {
    const { queryResult } = (await getData('/scan/search?keyword=0x1')) as {
      queryResult: readonly SearchGroup[]
    }
    for (const { rows } of queryResult.slice(0, 2)) {
      expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([
        'onchain_evm_11155111_0x1',
        'onchain_evm_31337_0x1',
      ])
    }
  })

  test('that is absent or empty finds nothing', async () => {
    const empty = ['schema', 'attestation', 'address'].map((type) => ({ type, rows: [], total: 0 }))
    for (const query of ['', '?keyword=', '?keyword=%20%0A']) {
      expect(await getData(`/scan/search${query}`)).toStrictEqual({ queryResult: empty })
    }
  })

  test('that is too long, holds a NUL or goes with an unknown filter is refused', async () => {
    await expectRefusal(`/scan/search?keyword=${'k'.repeat(257)}`, 400, 'keyword')
    await expectRefusal('/scan/search?keyword=a%00b', 400, 'keyword')
    await expectRefusal('/scan/search?keyword=a&filter=schemas', 400, 'schema, attestation or address')
    expect(await getData(`/scan/search?keyword=%20${'k'.repeat(256)}%20`)).toBeDefined()
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

test('readyz tells of each chain what it holds', async () => {
  const ready = (await getData('/readyz')) as { status: string; chains: readonly Row[] }
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

interface SearchGroup {
  readonly type: string
  readonly rows: readonly Row[]
  readonly total: number
}

function nothing(): boolean {
  return false
}

/** The `data` of a successful answer, whose envelope is held to be whole. */
async function getData(path: string): Promise<unknown> {
  const response = await fetch(scenario.url + path)
  const { data, ...envelope } = (await response.json()) as Record<string, unknown>
  expect(envelope, path).toStrictEqual({ success: true, statusCode: 200, message: 'ok' })
  expect(response.status).toBe(200)
  return data
}

/** Holds an error's envelope; `named` is what its message must name. */
async function expectRefusal(path: string, status: number, named: string): Promise<void> {
  const response = await fetch(scenario.url + path)
  const body: unknown = await response.json()
  expect(body, path).toStrictEqual({
    success: false,
    statusCode: status,
    data: {},
    message: expect.stringContaining(named),
  })
  expect(response.status, path).toBe(status)
}

/**
 * Holds a listing against all of its rows: every page at every size, the one past the end, and the totals. Times of storing,
 * where rows have them, must lie within the run.
 */
async function expectListing(
  path: string,
  rows: readonly Row[],
  sizes: readonly number[] = pageSizes,
): Promise<void> {
  for (const size of sizes) {
    // One row a page is slow to go through: of long listings, the first pages and the last ones do.
    const pages = Math.ceil(rows.length / size) + 1
    for (let page = 1; page <= pages; page++) {
      if (page > 6 && page < pages - 3) continue
      const data = (await getData(`${path}${path.includes('?') ? '&' : '?'}page=${page}&size=${size}`)) as {
        rows: readonly Row[]
      }
      const found = { ...data, rows: data.rows.map(withoutTimes) }
      const expected = { total: rows.length, rows: rows.slice((page - 1) * size, page * size), page, size }
      expect(found, `${path}, page ${page} of size ${size}`).toStrictEqual(expected)
    }
  }
}

function withoutTimes(row: Row): Row {
  const { syncAt, lastSyncAt, ...rest } = row
  if (syncAt !== undefined) expectWithinRun(syncAt)
  // An attestation that was revoked was changed; one that was not, never.
  if (lastSyncAt !== undefined) {
    if (row.revoked === true) expectWithinRun(lastSyncAt)
    else expect(lastSyncAt).toBe(null)
  }
  return rest
}

function expectWithinRun(timeMs: unknown): void {
  expect(timeMs).toEqual(expect.stringMatching(/^[0-9]{13}$/))
  expect(Number(timeMs)).toBeGreaterThanOrEqual(scenario.startedMs)
  expect(Number(timeMs)).toBeLessThanOrEqual(scenario.readyMs)
}
