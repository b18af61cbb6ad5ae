import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { noBytes } from '@attestry/core/model/hex.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { createTestIndex, type TestIndex } from '../../pipeline/testing/testIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleHash,
  sampleSchema,
} from '../../pipeline/testing/sampleRecords.ts'
import { createTestServer, testNow } from '../../testing/graphqlServer.ts'

const idOf = (n: number, chainId = 11155111) => `onchain_evm_${chainId}_0x${n.toString(16)}`

/** Attestations of every kind: on two chains, under three schemas, several in one second. */
function createIndex(): TestIndex {
  const schemas = [1, 2, 3].map((n) =>
    sampleSchema(n, { revocable: n !== 2, registrant: sampleAddress(n), resolver: sampleAddress(0xf0 + n) }),
  )
  const attestations = Array.from({ length: 40 }, (_, i) =>
    sampleAttestation(i + 1, {
      key: { chainId: i % 5 === 0 ? 10 : 11155111, localId: localIdOfCounter(BigInt(i + 1)) },
      protocol: i % 5 === 0 ? 'eas' : 'sign',
      schemaLocalId: localIdOfCounter(BigInt((i % 3) + 1)),
      attestTimestamp: unixSeconds(1_700_000_000 + Math.floor(i / 3)),
      attester: sampleAddress((i % 4) + 1),
      recipients: [
        { kind: 'address', address: sampleAddress((i % 7) + 1) },
        { kind: 'text', text: i % 2 === 0 ? 'did:even' : 'did:odd' },
      ],
      indexingValue: i % 6 === 0 ? '0xAB' : `value ${i % 2}`,
      linkedAttestation: i > 0 && i % 5 !== 0 && i % 5 !== 1 ? localIdOfCounter(BigInt(i)) : null,
      validUntil: i % 4 === 0 ? 1_700_000_020n : i % 4 === 1 ? 2n ** 63n : 0n,
      dataLocation: i % 8 === 0 ? 'IPFS' : 'ONCHAIN',
      ...(i % 9 === 0 ? { data: noBytes } : {}),
    }),
  )
  const revocations = Object.fromEntries(
    attestations
      .filter((_, i) => i % 6 === 5)
      .map(({ key }) => [
        key.localId,
        { timestamp: '1700000030', reason: '', transactionHash: sampleHash(7) },
      ]),
  )
  return createTestIndex({ schemas, attestations, revocations })
}

const server = createTestServer({}, createIndex())
afterAll(() => server.app.close())
const { post, index } = server

interface Connection {
  readonly totalCount: number
  readonly nodes: readonly { readonly id: string }[]
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

const connectionFields =
  'totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'

async function list(field: 'attestations' | 'schemas', values: Record<string, unknown>): Promise<Connection> {
  const filterType = field === 'schemas' ? 'SchemaFilter' : 'AttestationFilter'
  const { data, errors } = await post(
    `query ($filter: ${filterType}, $orderBy: RecordOrder = NEWEST_FIRST, $first: Int, $after: String, $last: Int, $before: String) {
      ${field}(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) { ${connectionFields} } }`,
    values,
  )
  expect(errors).toEqual([])
  const connection = data?.[field] as Connection
  expect(connection.edges.map(({ node }) => node)).toEqual(connection.nodes)
  expect(connection.pageInfo.startCursor).toBe(connection.edges[0]?.cursor ?? null)
  expect(connection.pageInfo.endCursor).toBe(connection.edges.at(-1)?.cursor ?? null)
  return connection
}

const idsOf = ({ nodes }: Connection) => nodes.map(({ id }) => id)

describe('filters let through exactly what they say', () => {
  const base = { chainId: 11155111 }
  const now = testNow
  test.each<[string, Record<string, unknown>, (i: number) => boolean]>([
    ['nothing', {}, () => true],
    ['empty texts', { attester: '', indexingValue: '', schemaId: '' }, () => true],
    ['schema', { schemaId: idOf(2) }, (i) => i % 3 === 1 && i % 5 !== 0],
    [
      'schema in any case',
      { schemaId: `onchain_evm_${base.chainId}_0X2` },
      (i) => i % 3 === 1 && i % 5 !== 0,
    ],
    ['schema of another kind', { schemaId: 'SPS_x' }, () => false],
    ['attester', { attester: sampleAddress(3).toUpperCase().replace('0X', '0x') }, (i) => i % 4 === 2],
    ['recipient', { recipient: sampleAddress(5) }, (i) => i % 7 === 4],
    ['recipient by text', { recipient: 'did:odd' }, (i) => i % 2 === 1],
    ['chain', { chainId: '10' }, (i) => i % 5 === 0],
    ['unknown chain', { chainId: '99999999999999999999' }, () => false],
    ['protocol', { protocol: 'eas' }, (i) => i % 5 === 0],
    ['revoked', { revoked: true }, (i) => i % 6 === 5],
    ['not revoked', { revoked: false }, (i) => i % 6 !== 5],
    ['expired by now', { expired: true }, (i) => i % 4 === 0 && now > 1_700_000_020],
    ['not expired', { expired: false }, (i) => i % 4 !== 0],
    ['valid at a time', { validAt: 1_700_000_008 }, (i) => Math.floor(i / 3) <= 8],
    ['valid after expiry and revocation', { validAt: 1_700_000_031 }, (i) => i % 4 !== 0 && i % 6 !== 5],
    ['from', { attestedFrom: 1_700_000_005 }, (i) => Math.floor(i / 3) >= 5],
    ['before', { attestedBefore: 1_700_000_005 }, (i) => Math.floor(i / 3) < 5],
    ['revoked from', { revokedFrom: 1_700_000_030 }, (i) => i % 6 === 5],
    ['revoked later', { revokedFrom: 1_700_000_031 }, () => false],
    ['revoked before', { revokedBefore: 1_700_000_031 }, (i) => i % 6 === 5],
    ['revoked and not', { revokedBefore: 1_700_000_031, revoked: false }, () => false],
    ['linked', { linkedAttestation: idOf(3) }, (i) => i === 3],
    ['linked to one of several', { linkedAttestationIn: [idOf(3), idOf(8)] }, (i) => i === 3 || i === 8],
    ['whose attester holds nothing', { attesterHolds: idOf(99) }, () => false],
    ['indexing value', { indexingValue: '0xab' }, (i) => i % 6 === 0],
    ['data location', { dataLocation: 'IPFS' }, (i) => i % 8 === 0],
    [
      'several',
      { revoked: false, protocol: 'sign', recipient: 'did:even' },
      (i) => i % 6 !== 5 && i % 5 !== 0 && i % 2 === 0,
    ],
  ])('%s', async (_name, filter, passes) => {
    const expected = index.attestations
      .map(({ key, attestTimestamp, position }, i) => ({ i, key, attestTimestamp, position }))
      .filter(({ i }) => passes(i))
      .sort(
        (a, b) =>
          b.attestTimestamp - a.attestTimestamp || b.key.chainId - a.key.chainId || b.position - a.position,
      )
      .map(({ i, key }) => idOf(i + 1, key.chainId))
    const connection = await list('attestations', { filter, first: 100 })
    expect(idsOf(connection)).toEqual(expected)
    expect(connection.totalCount).toBe(expected.length)
    const backward = await list('attestations', { filter, first: 100, orderBy: 'OLDEST_FIRST' })
    expect(idsOf(backward)).toEqual(expected.toReversed())
  })

  test.each<[Record<string, unknown>, readonly number[]]>([
    [{}, [3, 2, 1]],
    [{ registrant: sampleAddress(2) }, [2]],
    [{ resolver: sampleAddress(0xf3) }, [3]],
    [{ chainId: '10' }, []],
    [{ protocol: 'sign' }, [3, 2, 1]],
    [{ revocable: false }, [2]],
    [{ registeredFrom: 1_700_000_002 }, [3, 2]],
    [{ registeredBefore: 1_700_000_002 }, [1]],
  ])('schemas: %j', async (filter, numbers) => {
    const connection = await list('schemas', { filter })
    expect(idsOf(connection)).toEqual(numbers.map((n) => idOf(n)))
    expect(connection.totalCount).toBe(numbers.length)
  })
})

describe('cursors', () => {
  test('walk the whole list in either direction and order, in slices of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 17 }),
        fc.boolean(),
        fc.constantFrom('NEWEST_FIRST', 'OLDEST_FIRST'),
        fc.constantFrom({}, { revoked: false }, { recipient: 'did:odd' }),
        async (size, isForward, orderBy, filter) => {
          const whole = idsOf(await list('attestations', { filter, orderBy, first: 100 }))
          const met: string[] = []
          let cursor: string | null = null
          for (;;) {
            const slice: Connection = await list('attestations', {
              filter,
              orderBy,
              ...(isForward ? { first: size, after: cursor } : { last: size, before: cursor }),
            })
            expect(slice.totalCount).toBe(whole.length)
            const { hasNextPage, hasPreviousPage, startCursor, endCursor } = slice.pageInfo
            expect(isForward ? hasPreviousPage : hasNextPage).toBe(cursor !== null)
            if (isForward) met.push(...idsOf(slice))
            else met.unshift(...idsOf(slice))
            if (!(isForward ? hasNextPage : hasPreviousPage)) break
            cursor = isForward ? endCursor : startCursor
            expect(slice.nodes).toHaveLength(size)
          }
          expect(met).toEqual(whole)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('bound a slice on both sides', async () => {
    const whole = await list('attestations', { first: 100 })
    const ids = idsOf(whole)
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 39 }),
        fc.nat({ max: 39 }),
        fc.integer({ min: 1, max: 45 }),
        fc.boolean(),
        async (from, to, count, isForward) => {
          const after = whole.edges[from]?.cursor
          const before = whole.edges[to]?.cursor
          const between = ids.slice(from + 1, to)
          const slice = await list('attestations', {
            after,
            before,
            ...(isForward ? { first: count } : { last: count }),
          })
          expect(idsOf(slice)).toEqual(isForward ? between.slice(0, count) : between.slice(-count))
          const isCut = between.length > count
          expect(isForward ? slice.pageInfo.hasNextPage : slice.pageInfo.hasPreviousPage).toBe(isCut)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('read only the total, or whether there is a row', async () => {
    const none = await list('attestations', { first: 0 })
    expect(none).toMatchObject({ totalCount: 40, nodes: [], pageInfo: { hasNextPage: true } })
    server.calls.length = 0
    await post('{ attestations { totalCount } }')
    expect(server.calls).toEqual(['countAttestations'])
  })
})

describe('records', () => {
  test('show the fields of a payload, or the reason why it cannot be decoded', async () => {
    const { data } = await post(
      `{ attestations(first: 100, orderBy: OLDEST_FIRST) { nodes { decodedData { name type value } decodedDataError } } }`,
    )
    const { nodes } = data!['attestations'] as { nodes: unknown[] }
    const undecodable = { decodedData: null, decodedDataError: 'it is empty' }
    expect(nodes).toHaveLength(40)
    expect(nodes[0]).toEqual(undecodable)
    expect(nodes.filter((node) => JSON.stringify(node) === JSON.stringify(undecodable))).toHaveLength(5)
    expect(nodes).toContainEqual({
      decodedData: [{ name: 'score', type: 'uint256', value: ['0x0102', true] }],
      decodedDataError: null,
    })
  })

  test('lead to what they refer to, and to what refers to them', async () => {
    const { data } = await post(`{ attestation(id: "${idOf(4)}") {
      linkedAttestation linkedRecord { id referencedBy { totalCount nodes { id } } } referencedBy { nodes { id } } } }`)
    expect(data).toEqual({
      attestation: {
        linkedAttestation: idOf(3),
        linkedRecord: { id: idOf(3), referencedBy: { totalCount: 1, nodes: [{ id: idOf(4) }] } },
        referencedBy: { nodes: [{ id: idOf(5) }] },
      },
    })
  })

  test('of a schema: its attestations, attesters and days', async () => {
    const { data } = await post(`{ schema(id: "${idOf(1)}") { protocol originalData fields { name type }
      attestationCount attesterCount attestations(first: 2) { totalCount nodes { id } }
      topAttesters(limit: 2) { address count } activity { date timestamp attestations received schemas } } }`)
    const under = index.attestations.filter(
      ({ key, schemaLocalId }) => key.chainId !== 10 && schemaLocalId === localIdOfCounter(1n),
    )
    expect(data).toMatchObject({
      schema: {
        protocol: 'sign',
        originalData: '{}',
        fields: [{ name: 'score', type: 'uint256' }],
        attestationCount: under.length,
        attestations: { totalCount: under.length, nodes: [{ id: idOf(40) }, { id: idOf(37) }] },
        topAttesters: [{ address: expect.stringMatching(/^0x[Aa][Bb]0{37}[1-4]$/) }, {}],
        activity: [
          {
            date: '2023-11-14',
            timestamp: 1_699_920_000,
            attestations: under.length,
            received: 0,
            schemas: 0,
          },
        ],
      },
    })
  })

  test('of an address: its statistics and lists', async () => {
    const { data, errors } =
      await post(`{ address(address: "${sampleAddress(2)}") { address schemaCreated totalAttestations
      attestationCreated attestationReceived schemas { totalCount nodes { id } } attestations(size: 2) { total size attestations { id } }
      created(first: 1) { totalCount } received(first: 1) { totalCount nodes { id } } activity { received } } }`)
    expect(errors).toEqual([])
    const statistics = (await server.get(`/scan/addresses/${sampleAddress(2)}/statistics`)) as Record<
      string,
      number
    >
    expect(data).toMatchObject({
      address: {
        ...statistics,
        schemas: { totalCount: 1, nodes: [{ id: idOf(2) }] },
        attestations: { total: statistics['totalAttestations'], size: 2 },
        created: { totalCount: statistics['attestationCreated'] },
        received: { totalCount: statistics['attestationReceived'] },
        activity: [{ received: statistics['attestationReceived'] }],
      },
    })
  })

  test('of the whole index', async () => {
    const { data } = await post(`{ stats { schemaCount attestationCount revocationCount
      protocols { chainId protocol attestationCount } activity(days: 1) { attestations schemas } } }`)
    expect(data).toEqual({
      stats: {
        schemaCount: 3,
        attestationCount: 40,
        revocationCount: 6,
        protocols: [
          { chainId: '10', protocol: 'eas', attestationCount: 8 },
          { chainId: '11155111', protocol: 'sign', attestationCount: 32 },
        ],
        activity: [{ attestations: 40, schemas: 3 }],
      },
    })
  })
})

describe('a list costs a constant number of reads of the store, however long it is', () => {
  test.each([
    ['pagedAttestations(size: SIZE) { total attestations { id data schema { id name } } }', 1],
    ['pagedAttestations(size: SIZE) { attestations { schema { registrant } } }', 2],
    [
      'pagedAttestations(size: SIZE) { attestations { linkedRecord { schema { registrant } linkedRecord { data } } } }',
      4,
    ],
    [
      'attestations(first: SIZE) { totalCount nodes { decodedData { name } schema { registrant } } edges { cursor } pageInfo { endCursor } }',
      3,
    ],
    ['schemas(first: SIZE) { totalCount nodes { registrant attestationCount } }', 2],
    ['pagedSchemas(size: SIZE) { schemas { registrant } }', 1],
  ])('%s', async (field, reads) => {
    for (const size of [3, 40]) {
      server.calls.length = 0
      const { errors } = await post(`{ ${field.replace('SIZE', String(size))} }`)
      expect(errors).toEqual([])
      // Fewer if the referenced record was read already.
      expect(server.calls.length, server.calls.join()).toBeLessThanOrEqual(reads)
    }
  })

  test('and many records by their ids are one read', async () => {
    server.calls.length = 0
    const fields = Array.from({ length: 20 }, (_, n) => `a${n}: attestation(id: "${idOf(n)}") { id }`)
    await post(`{ ${fields.join(' ')} }`)
    expect(server.calls).toEqual(['findAttestations'])
  })
})
