import { serveVerax } from './serveVerax.ts'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress, zeroHash, type Address, type Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import {
  createTestIndex,
  openTestIndex,
  type TestIndex,
} from '@attestry/server/pipeline/testing/testIndex.ts'

const chainId = 10
const schemaTexts = ['(uint8 level)', '(bytes32 of)', 'nonsense']

function idOf(number: number, kind = '0005'): LocalId {
  const id = parseLocalId(`0x${kind}${number.toString(16).padStart(60, '0')}`)
  if (id === null) throw new Error('no id')
  return id
}

const subjects = [
  { kind: 'address', address: sampleAddress(3) },
  { kind: 'text', text: 'did:key:z6Mk' },
  { kind: 'bytes', bytes: `0x${'fe'.repeat(32)}` as Hex },
] as const
const subjectBytes = [sampleAddress(3), '0x6469643a6b65793a7a364d6b', `0x${'fe'.repeat(32)}`]

/** An address may be attested in 20 bytes and in 32. */
function encodedSubject(number: number): Hex {
  const bytes = subjectBytes[number % 3] ?? ''
  return (number % 2 === 1 && number % 3 === 0 ? `0x${'0'.repeat(24)}${bytes.slice(2)}` : bytes) as Hex
}

/** Three in a row share a block and a time. */
function attestationAt(number: number, protocol: string, chain = chainId): Attestation {
  return sampleAttestation(number, {
    key: { chainId: chain, localId: idOf(number) },
    protocol,
    position: eventPosition(2_000 + Math.floor(number / 3), (number % 3) * 2 + (protocol === 'eas' ? 1 : 0)),
    attestTimestamp: unixSeconds(1_700_000_000 + Math.floor(number / 3)),
    schemaLocalId: idOf(number % 3, 'e000'),
    attester: sampleAddress(number % 4),
    recipients: [subjects[number % 3] ?? subjects[0]],
    validUntil: [0n, 9_007_199_254_740_993n, 2n ** 64n - 1n][number % 3] ?? 0n,
    portal: protocol === 'eas' ? null : sampleAddress(20 + (number % 2)),
    contractVersion: protocol === 'eas' ? null : number % 4,
    subject: protocol === 'eas' ? null : encodedSubject(number),
    data: `0x${(number % 7).toString(16).padStart(64, '0')}` as Hex,
  })
}

const numbers = Array.from({ length: 48 }, (_, number) => number + 1)
const revocations: Record<string, TestIndex['revocations'][string]> = {}
for (const number of numbers.filter((each) => each % 5 === 0)) {
  revocations[idOf(number)] = {
    timestamp: String(1_700_000_500 + (number % 3)),
    reason: number % 2 === 0 ? '' : `replaced by onchain_evm_${chainId}_${idOf(number + 1)}`,
    transactionHash: sampleHash(9),
  }
}
const index = createTestIndex({
  schemas: schemaTexts.map((rawText, number) =>
    sampleSchema(number, {
      key: { chainId, localId: idOf(number, 'e000') },
      protocol: 'verax',
      rawText,
      context: `https://schema.org/${number}`,
      position: eventPosition(100, number),
    }),
  ),
  // Another protocol on the chain and another chain have records under the same ids.
  attestations: [
    ...numbers.map((number) => attestationAt(number, 'verax')),
    ...[60, 61].map((number) => attestationAt(number, 'eas')),
    ...[1, 2, 3].map((number) => attestationAt(number, 'verax', 8453)),
  ],
  revocations,
  chains: [
    sampleChain({ chainId, protocols: ['eas', 'verax'], name: 'Here' }),
    sampleChain({ chainId: 8453, protocols: ['verax'], name: 'Base' }),
  ],
})
const app = createServer({
  reader: openTestIndex(index),
  decodePayload: decodeAttestedPayload,
  wings: [serveVerax()],
})
afterAll(() => app.close())

interface Answer {
  readonly data?: Readonly<Record<string, readonly Row[]>>
  readonly errors?: readonly { readonly message: string }[]
}
type Row = Readonly<Record<string, string | boolean>>

async function ask(query: string, variables: object = {}, chain: number | string = chainId): Promise<Answer> {
  const url = `/verax/${chain}/graphql`
  return (await app.inject({ method: 'POST', url, payload: { query, variables } })).json()
}

/** The attestations of the chain as the subgraph would show them, by rules that share nothing with the program. */
const rows = numbers.map((number): Row => ({
  id: idOf(number),
  schema: idOf(number % 3, 'e000'),
  attester: sampleAddress(number % 4),
  portal: sampleAddress(20 + (number % 2)),
  attestedDate: String(1_700_000_000 + Math.floor(number / 3)),
  expirationDate: ['0', '9007199254740993', '18446744073709551615'][number % 3] ?? '',
  revocationDate: number % 5 === 0 ? String(1_700_000_500 + (number % 3)) : '0',
  replacedBy: number % 5 === 0 && number % 2 === 1 ? idOf(number + 1) : zeroHash,
  revoked: number % 5 === 0,
  version: String(number % 4),
  subject: subjectBytes[number % 3] ?? '',
  encodedSubject: encodedSubject(number),
  attestationData: `0x${(number % 7).toString(16).padStart(64, '0')}`,
}))
const fields = Object.keys(rows[0] ?? {})
const isNumber = (field: string) => field.endsWith('Date') || field === 'version'
const comparable = (field: string, value: unknown) =>
  isNumber(field) ? BigInt(String(value)) : String(value).toLowerCase()

interface Case {
  readonly where: object
  readonly passes: (row: Row) => boolean
}

const shout = (value: string | boolean | undefined) =>
  typeof value === 'string' && value.startsWith('0x') ? `0x${value.slice(2).toUpperCase()}` : (value ?? '')

/** The bytes of hexadecimal digits, with or without 0x; null for other text. */
function bytesOf(text: string): string[] | null {
  const digits = text.toLowerCase().replace(/^0x/, '')
  return /^[0-9a-f]*$/.test(digits) && digits.length % 2 === 0 ? (digits.match(/../g) ?? []) : null
}

function placed(place: 'contains' | 'starts_with' | 'ends_with', whole: string[], part: string[]): boolean {
  const standsAt = (at: number) => part.every((each, index) => whole[at + index] === each)
  const last = whole.length - part.length
  if (last < 0) return false
  if (place === 'starts_with') return standsAt(0)
  return place === 'ends_with' ? standsAt(last) : whole.some((_, at) => standsAt(at)) || part.length === 0
}

function caseOf(field: string): fc.Arbitrary<Case> {
  const value = fc.constantFrom(...rows.map((row) => shout(row[field])))
  const is = (row: Row, wanted: unknown) => comparable(field, row[field]) === comparable(field, wanted)
  const cases = [
    value.map((wanted): Case => ({ where: { [field]: wanted }, passes: (row) => is(row, wanted) })),
    value.map((wanted): Case => ({ where: { [`${field}_not`]: wanted }, passes: (row) => !is(row, wanted) })),
    fc.array(value, { maxLength: 3 }).map((wanted): Case => ({
      where: { [`${field}_in`]: wanted },
      passes: (row) => wanted.some((each) => is(row, each)),
    })),
    fc.array(value, { maxLength: 3 }).map((wanted): Case => ({
      where: { [`${field}_not_in`]: wanted },
      passes: (row) => !wanted.some((each) => is(row, each)),
    })),
  ]
  if (field === 'revoked') return fc.oneof(...cases)
  cases.push(
    value.map((wanted): Case => ({
      where: { [`${field}_gt`]: wanted },
      passes: (row) => comparable(field, row[field]) > comparable(field, wanted),
    })),
    value.map((wanted): Case => ({
      where: { [`${field}_lte`]: wanted },
      passes: (row) => comparable(field, row[field]) <= comparable(field, wanted),
    })),
  )
  if (isNumber(field)) return fc.oneof(...cases)
  const isId = ['id', 'schema', 'portal'].includes(field)
  // Ids are also texts, of which any part may be asked for.
  const textPart = fc
    .tuple(value, fc.nat(40), fc.nat(12))
    .map(([text, from, size]) => String(text).slice(from, from + size))
  const bytesPart = fc
    .tuple(value, fc.nat(20), fc.nat(6), fc.constantFrom('', '0x', '0X'))
    .map(([text, from, size, prefix]) => prefix + String(text).slice(2 + 2 * from, 2 + 2 * (from + size)))
  const part = isId ? fc.oneof(textPart, bytesPart) : bytesPart
  for (const place of ['contains', 'starts_with', 'ends_with'] as const) {
    const passes = (row: Row, wanted: string) => {
      const text = String(row[field])
      const bytes = bytesOf(wanted)
      return (
        (isId && placed(place, [...text], [...wanted.toLowerCase()])) ||
        (bytes !== null && placed(place, bytesOf(text) ?? [], bytes))
      )
    }
    for (const end of ['', '_nocase']) {
      cases.push(
        part.map((wanted): Case => ({
          where: { [`${field}_${place}${end}`]: wanted },
          passes: (row) => passes(row, wanted),
        })),
        part.map((wanted): Case => ({
          where: { [`${field}_not_${place}${end}`]: wanted },
          passes: (row) => !passes(row, wanted),
        })),
      )
    }
  }
  return fc.oneof(...cases)
}

const related = fc.constantFrom<Case>(
  { where: { schema_: { id: idOf(1, 'e000') } }, passes: (row) => row['schema'] === idOf(1, 'e000') },
  {
    where: { schema_: { name_contains_nocase: 'SCHEMA 2' } },
    passes: (row) => row['schema'] === idOf(2, 'e000'),
  },
  {
    where: { portal_: { id_in: [sampleAddress(21)] } },
    passes: (row) => row['portal'] === sampleAddress(21),
  },
)
const { where } = fc.letrec<{ where: Case }>((tie) => ({
  where: fc.oneof(
    { depthSize: 'small' },
    ...fields.map(caseOf),
    related,
    fc.tuple(tie('where'), tie('where')).map(([a, b]): Case => ({
      where: { and: [a.where, b.where] },
      passes: (row) => a.passes(row) && b.passes(row),
    })),
    fc.tuple(tie('where'), tie('where')).map(([a, b]): Case => ({
      where: { or: [a.where, b.where] },
      passes: (row) => a.passes(row) || b.passes(row),
    })),
  ),
}))

const listQuery = `query List($first: Int, $skip: Int, $where: Attestation_filter, $by: Attestation_orderBy, $to: OrderDirection) {
  attestations(first: $first, skip: $skip, where: $where, orderBy: $by, orderDirection: $to) {
    ${fields.filter((field) => field !== 'schema' && field !== 'portal').join(' ')} schema { id } portal { id }
  }
}`

test('an attestation has the id and the text of its schema', async () => {
  const { data } = await ask('{ attestations(first: 3) { schemaId schemaString schema { id schema } } }')
  const found = data?.['attestations'] ?? []
  expect(found).toHaveLength(3)
  for (const { schemaId, schemaString, schema } of found) {
    expect(schema).toEqual({ id: schemaId, schema: schemaString })
  }
  const schemaId = String(found[0]?.['schemaId'])
  const all = await ask(
    `{ a: attestations(where: { schemaId: "${schemaId}" }) { id } b: attestations(where: { schema: "${schemaId}" }) { id } }`,
  )
  expect(all.data?.['a']).toEqual(all.data?.['b'])
  expect(all.data?.['a']).not.toEqual([])
})

test('a list holds the attestations that its filter means, in its order', async () => {
  const order = fc.constantFrom(null, ...fields)
  const direction = fc.constantFrom(null, 'asc', 'desc')
  const property = fc.asyncProperty(where, order, direction, fc.nat(9), async (each, by, to, skip) => {
    const { data, errors } = await ask(listQuery, { first: 10, skip, where: each.where, by, to })
    expect(errors).toBeUndefined()
    const key = by ?? 'id'
    const sign = to === 'desc' ? -1 : 1
    const sorted = rows.filter(each.passes).toSorted((a, b) => {
      const [left, right] = [comparable(key, a[key]), comparable(key, b[key])]
      return sign * (left < right ? -1 : left > right ? 1 : String(a['id']) < String(b['id']) ? -1 : 1)
    })
    const flat = data?.['attestations']?.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]: [string, unknown]) => [
          name,
          typeof value === 'object' ? (value as { readonly id: string }).id : value,
        ]),
      ),
    )
    expect(flat).toEqual(sorted.slice(skip, skip + 10))
  })
  await fc.assert(property, { numRuns: 200 })
})

test('pages by id reach every attestation once', async () => {
  const seen: string[] = []
  for (let after = ''; ;) {
    const { data } = await ask(listQuery, { first: 7, where: { id_gt: after } })
    const page = data?.['attestations'] ?? []
    seen.push(...page.map((row) => String(row['id'])))
    after = seen.at(-1) ?? ''
    if (page.length < 7) break
  }
  expect(seen).toEqual(rows.map((row) => row['id']))
})

test('bytes hold bytes at any place of a byte, and at no other', async () => {
  const count = async (filter: object) =>
    (await ask(listQuery, { first: 1000, where: filter })).data?.['attestations']?.length
  // The data are 31 zero bytes and a number up to 6.
  expect(await count({ attestationData_contains: '0x0005' })).toBe(7)
  expect(await count({ attestationData_contains: '0X0005' })).toBe(7)
  expect(await count({ attestationData_contains: '05' })).toBe(7)
  expect(await count({ attestationData_contains: '0x50' })).toBe(0)
  expect(await count({ attestationData_not_contains: '0x05' })).toBe(41)
  expect(await count({ attestationData_contains: '' })).toBe(48)
  expect(await count({ attestationData_contains: `0x${'00'.repeat(33)}` })).toBe(0)
  expect(await count({ attestationData_ends_with: '0005' })).toBe(7)
  expect(await count({ attestationData: `${'0'.repeat(63)}5` })).toBe(7)
  expect(await count({ attestationData_gt: `${'0'.repeat(63)}5` })).toBe(7)
  // Text that the subject is made of.
  expect(await count({ subject_contains: '0x6B6579' })).toBe(16)
  expect(await count({ schema: 'e000' + '1'.padStart(60, '0') })).toBe(16)
  expect(await count({ portal_: { id_contains: sampleAddress(21).slice(30) } })).toBe(24)
})

test('schemas, counters and the state of the index', async () => {
  const selection = '{ id name context schema attestationCounter }'
  const shown = (number: number) => ({
    id: idOf(number, 'e000'),
    name: `Schema ${number}`,
    context: `https://schema.org/${number}`,
    schema: schemaTexts[number],
    attestationCounter: 16,
  })
  const query = `{
    all: schemas(where: null, orderBy: null, orderDirection: null) ${selection}
    named: schemas(where: { name_contains: "1" }) ${selection}
    byText: schemas(first: 1, orderBy: schema, orderDirection: desc) ${selection}
    listed: schemas(where: { id_in: ["${idOf(2, 'e000')}", "0x99"] }) ${selection}
    one: schema(id: "${idOf(0, 'e000')}") ${selection}
    none: schema(id: "0x99") ${selection}
    counters { id attestations schemas portals modules }
    _meta { block { number hash } deployment hasIndexingErrors }
  }`
  expect(await ask(query)).toEqual({
    data: {
      all: [0, 1, 2].map(shown),
      named: [shown(1)],
      byText: [shown(2)],
      listed: [shown(2)],
      one: shown(0),
      none: null,
      counters: [{ id: 'counter', attestations: 48, schemas: 3, portals: 0, modules: 0 }],
      _meta: {
        block: { number: expect.any(Number) as number, hash: null },
        deployment: 'verax-10',
        hasIndexingErrors: false,
      },
    },
  })
})

test('portals are found by their modules; portals and modules show their registration', async () => {
  const [a, b, c] = [31, 32, 33].map(sampleAddress) as [Address, Address, Address]
  const registration = { blockNumber: 7, timestamp: 1_700_000_000, transactionHash: sampleHash(4) }
  const registered = (number: number, modules: readonly Address[] | null, more: object = {}) => {
    const owner = modules === null ? null : sampleAddress(1)
    const body = {
      name: `P${number}`,
      description: '',
      owner,
      ownerName: '',
      isRevocable: number === 20,
      modules,
    }
    return { address: sampleAddress(number), body: JSON.stringify({ ...body, ...more }) }
  }
  const portals = [
    registered(20, [a, b], { registration }),
    registered(21, [b, c]),
    registered(22, []),
    registered(23, null),
  ]
  const served = createServer({
    reader: {
      ...openTestIndex(index),
      listRegistered: (_chain, _protocol, of) =>
        Promise.resolve(of === 'portal' ? portals : portals.slice(0, 1)),
    },
    wings: [serveVerax()],
  })
  const askServed = async (query: string, variables: object = {}): Promise<Answer> => {
    const payload = { query, variables }
    return (await served.inject({ method: 'POST', url: '/verax/10/graphql', payload })).json()
  }
  const namesOf = async (filter: object) => {
    const query = 'query ($where: Portal_filter) { portals(where: $where, orderBy: name) { name } }'
    const { data, errors } = await askServed(query, { where: filter })
    return errors ?? data?.['portals']?.map(({ name }) => name)
  }
  expect(await namesOf({ modules_contains: [b] })).toEqual(['P20', 'P21'])
  expect(await namesOf({ modules_contains: b.slice(2).toUpperCase() })).toEqual(['P20', 'P21'])
  expect(await namesOf({ modules_contains_nocase: [c, b] })).toEqual(['P21'])
  expect(await namesOf({ modules_contains: [b.slice(0, 20)] })).toEqual([])
  expect(await namesOf({ modules_contains: [] })).toHaveLength(4)
  expect(await namesOf({ modules_not_contains: [a, c] })).toEqual(['P22', 'P23'])
  expect(await namesOf({ modules: [a, b] })).toEqual(['P20'])
  expect(await namesOf({ modules_not: [] })).toEqual(['P20', 'P21'])
  expect(await namesOf({ isRevocable: true })).toEqual(['P20'])
  expect(await namesOf({ ownerAddress_in: [zeroAddress] })).toEqual(['P23'])
  expect(await namesOf({ modules_contains: ['0x1'] })).toMatchObject([
    { message: bytesMessage('modules_contains', '"0x1"') },
  ])
  const information = (id: Address) => ({
    id,
    creation: { blockNumber: '7', transactionHash: sampleHash(4), transactionTimestamp: '1700000000' },
  })
  const audit = 'auditInformation { id creation { blockNumber transactionHash transactionTimestamp } }'
  expect(await askServed(`{ portals(first: 2) { ${audit} } modules { ${audit} } }`)).toEqual({
    data: {
      portals: [{ auditInformation: information(sampleAddress(20)) }, { auditInformation: null }],
      modules: [{ auditInformation: information(sampleAddress(20)) }],
    },
  })
  await served.close()
})

test('records have the transactions that made and changed them', async () => {
  const audit = '{ id blockNumber transactionHash transactionTimestamp fromAddress toAddress gasPrice }'
  const { data, errors } = await ask(`{
    attestation(id: "${idOf(5)}") {
      transaction: id
      auditInformation { id creation ${audit} lastModification ${audit} modifications { blockNumber } }
      schema { auditInformation { id creation ${audit} modifications { id } } }
      portal { auditInformation { id } }
    }
    unrevoked: attestation(id: "${idOf(6)}") { auditInformation { lastModification { blockNumber } modifications { id } } }
  }`)
  expect(errors).toBeUndefined()
  const made = attestationAt(5, 'verax')
  const nothing = { fromAddress: zeroAddress, toAddress: null, gasPrice: null }
  const auditOf = (blockNumber: number, transactionHash: string, time: number) => ({
    id: transactionHash,
    blockNumber: String(blockNumber),
    transactionHash,
    transactionTimestamp: String(time),
    ...nothing,
  })
  expect(data).toMatchObject({
    attestation: {
      auditInformation: {
        id: idOf(5),
        creation: auditOf(2_001, made.transactionHash, 1_700_000_001),
        lastModification: auditOf(80_000, sampleHash(9), 1_700_000_502),
        modifications: [{ blockNumber: '2001' }, { blockNumber: '80000' }],
      },
      schema: {
        auditInformation: {
          id: idOf(2, 'e000'),
          creation: { blockNumber: '100', ...nothing },
          modifications: [{ id: index.schemas[2]?.transactionHash }],
        },
      },
      portal: { auditInformation: null },
    },
    unrevoked: { auditInformation: { lastModification: { blockNumber: '2002' }, modifications: [{}] } },
  })
})

test('attestations of one time that are asked for by their ids have their order as of a block too', async () => {
  const { data } = await ask('{ _meta { block { number } } }')
  const { number } = (data as unknown as { _meta: { block: { number: number } } })._meta.block
  const ids = [3, 4, 5].map((each) => idOf(each))
  const where = JSON.stringify(ids.toReversed())
  const listed = async (block: string) =>
    await ask(`{ attestations(where: { id_in: ${where} }, orderBy: attestedDate${block}) { id } }`)
  const expected = { data: { attestations: ids.map((id) => ({ id })) } }
  expect(await listed('')).toEqual(expected)
  expect(await listed(`, block: { number: ${number} }`)).toEqual(expected)
})

test('a block that is not indexed yet is refused, and so is a malformed hash', async () => {
  const { data } = await ask('{ _meta { block { number } } }')
  const { number } = (data as unknown as { _meta: { block: { number: number } } })._meta.block
  const messages = async (block: string) =>
    (await ask(`{ schemas(first: 1, block: ${block}) { id } }`)).errors?.map(({ message }) => message)
  expect(await messages(`{ number_gte: ${number} }`)).toBeUndefined()
  expect(await messages(`{ number: ${number} }`)).toBeUndefined()
  expect(await messages(`{ number: ${number - 1} }`)).toBeUndefined()
  expect(await messages('{}')).toBeUndefined()
  const later = `lock ${number + 1} is not indexed yet; the newest indexed block is ${number}.`
  expect(await messages(`{ number_gte: ${number + 1} }`)).toEqual([`b${later}`])
  const ofChain = later.replace('is not', `of chain ${chainId} is not`)
  expect(await messages(`{ number: ${number + 1} }`)).toEqual([`B${ofChain}`])
  expect(await messages('{ hash: "0x12" }')).toEqual([
    "block.hash must be 0x and 64 hexadecimal digits; it was '0x12'.",
  ])
  const query = `{ attestation(id: "${idOf(1)}", block: { number_gte: ${number + 1} }) { id } }`
  expect((await ask(query)).errors?.map(({ message }) => message)).toEqual([`b${later}`])
})

test.each([
  ['issuers { id }', 'issuers of Verax; ask isIssuer of the PortalRegistry'],
  ['issuer(id: "0x1") { id }', 'issuers of Verax; ask isIssuer of the PortalRegistry'],
  [
    'registryVersions { versionNumber }',
    'versions of the registry; ask getVersionNumber of the AttestationRegistry',
  ],
])('%s is an error that names what the index does not keep', async (root, what) => {
  expect(await ask(`{ ${root} }`)).toMatchObject({
    errors: [{ message: `This index does not keep the ${what}.` }],
  })
})

test('a chain has its own records, also under the same ids', async () => {
  const query =
    '{ attestations(orderDirection: desc) { id schema { id name schema } } eas: attestation(id: "0x99") { id } }'
  expect(await ask(query, {}, 'base')).toEqual({
    data: {
      attestations: [3, 2, 1].map((number) => ({
        id: idOf(number),
        // These schemas are not indexed on the chain.
        schema: { id: idOf(number % 3, 'e000'), name: '', schema: '' },
      })),
      eas: null,
    },
  })
  const { data } = await ask(`{ attestations(where: { id: "${idOf(60)}" }) { id } }`)
  expect(data).toEqual({ attestations: [] })
})

test('the attestations of a portal are counted once in a request, and null where they are too many', async () => {
  const reader = openTestIndex(index)
  let counts = 0
  const counting = createServer({
    reader: {
      ...reader,
      countAttestations: async (filter) => {
        counts += 1
        if (filter.portal === sampleAddress(21)) throw new StoreTooMuchWorkError('very many')
        return await reader.countAttestations(filter)
      },
    },
    wings: [serveVerax()],
  })
  const query = '{ attestations { portal { attestationCounter } } }'
  const answer = await counting.inject({
    method: 'POST',
    url: `/verax/${chainId}/graphql`,
    payload: { query },
  })
  await counting.close()
  expect(answer.json()).toEqual({
    data: {
      attestations: numbers.map((number) => ({
        portal: { attestationCounter: number % 2 === 0 ? 24 : null },
      })),
    },
  })
  expect(counts).toBe(2)
})

function bytesMessage(name: string, given: string): string {
  return `where.${name} is '${given}'; give a string of hexadecimal digits, two for each byte, with or without 0x.`
}

test.each([
  [
    '{ attestations(first: 1001) { id } }',
    'first is 1001; give 1 to 1000, and ask for more rows by id_gt or skip.',
  ],
  ['{ attestations(skip: -1) { id } }', 'skip is -1; give 0 or more.'],
  [
    '{ attestations(where: { attester: null }) { id } }',
    'where.attester is null; give it a value, or leave it out.',
  ],
  [
    '{ attestations(where: { attestedDate_gt: "soon" }) { id } }',
    `where.attestedDate_gt is '"soon"'; give a whole number from 0 on, as digits or as a string of digits.`,
  ],
  ['{ attestations(where: { attester: 5.5 }) { id } }', bytesMessage('attester', '5.5')],
  ['{ attestations(where: { attester: 55 }) { id } }', bytesMessage('attester', '55')],
  [
    '{ attestations(where: { attestationData_contains: "0x123" }) { id } }',
    bytesMessage('attestationData_contains', '"0x123"'),
  ],
  [
    '{ attestations(where: { subject_in: ["0x", "did:key"] }) { id } }',
    bytesMessage('subject_in', '"did:key"'),
  ],
  [
    '{ attestations(where: { portal_: { ownerAddress_ends_with: "0x0g" } }) { id } }',
    bytesMessage('ownerAddress_ends_with', '"0x0g"'),
  ],
])('%s is refused', async (query, message) => {
  expect((await ask(query)).errors?.map((error) => error.message)).toEqual([message])
})

test('a path without a chain of Verax is refused', async () => {
  const post = (url: string) =>
    app.inject({ method: 'POST', url, payload: { query: '{ _meta { block { number } } }' } })
  expect((await post('/verax/nowhere/graphql')).statusCode).toBe(404)
  expect((await post('/verax/linea/graphql')).body).toContain('Verax is not indexed on chain 59144')
})
