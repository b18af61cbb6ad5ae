import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createGapClient } from './karmaGap.ts'
import { createEasWorld, type EasWorld, type ExpectedAttestation } from './easWorld.ts'

/**
 * The operations of applications that read EAS, by their shapes, unchanged but for the ids. Each answer is compared
 * with what was sent to the contracts.
 */

let world: EasWorld
beforeAll(async () => {
  world = await createEasWorld()
  const revoked = pick(
    world.attestations.filter((row) => row.revoked),
    'id',
  )
  const document = '{ attestations(where: {revoked: {equals: true}}) { id } }'
  await vi.waitUntil(
    async () =>
      JSON.stringify((await world.query(document)).data) === JSON.stringify({ attestations: revoked }),
    { timeout: 60_000, interval: 100 },
  )
})
afterAll(() => world?.close())

const scalars =
  'id data decodedDataJson recipient attester time timeCreated expirationTime revocationTime refUID revocable revoked txid schemaId ipfsHash isOffchain'

function pick<Row extends object>(
  rows: readonly Row[],
  ...names: readonly (keyof Row & string)[]
): unknown[] {
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
}

async function ask(document: string, variables?: object): Promise<Record<string, unknown>> {
  const { data, errors } = await world.query(document, variables)
  expect(errors, document).toBeUndefined()
  return data
}

function schemaAt(index: number) {
  const schema = world.schemas[index]
  if (schema === undefined) throw new Error(`no schema ${index}`)
  return schema
}

function sent(passes: (row: ExpectedAttestation) => boolean): ExpectedAttestation[] {
  return world.attestations.filter(passes)
}

function account(index: number): string {
  return world.accounts[index] ?? ''
}

test('all scalars of the newest records are those that were sent', async () => {
  expect(await ask(`{ attestations { ${scalars} } }`)).toEqual({ attestations: world.attestations })
})

test('the newest records under a schema, as a kit shows them', async () => {
  const schemaId = schemaAt(0).id
  const document = `query { attestations(where: {schemaId: {equals: "${schemaId}"}}, orderBy: {time: desc}, take: 20) { decodedDataJson attester time id } }`
  const rows = sent((row) => row.schemaId === schemaId).slice(0, 20)
  expect(await ask(document)).toEqual({
    attestations: pick(rows, 'decodedDataJson', 'attester', 'time', 'id'),
  })
})

test('a passport finds the verifications of an address in any case, with their schema', async () => {
  const document = `query AttestationsByRecipient($attester: String!, $recipient: String!) {
    attestations(where: { attester: { equals: $attester }, recipient: { equals: $recipient, mode: insensitive } }) {
      recipient revocationTime revoked expirationTime schema { id } } }`
  const rows = sent((row) => row.attester === account(0) && row.recipient === account(0))
  expect(rows.length).toBeGreaterThan(3)
  expect(await ask(document, { attester: account(0), recipient: account(0).toLowerCase() })).toEqual({
    attestations: rows.map((row) => ({
      recipient: row.recipient,
      revocationTime: row.revocationTime,
      revoked: row.revoked,
      expirationTime: row.expirationTime,
      schema: { id: row.schemaId },
    })),
  })
})

test('a grant platform finds a field by its pair within JSON', async () => {
  const round = `0x${'2'.padStart(64, 'a')}`
  const contains = `"name":"round","type":"bytes32","value":"${round}`
  const document = `query($where: AttestationWhereInput) { attestations(where: $where) { id } }`
  const where = {
    schemaId: { equals: schemaAt(0).id },
    revoked: { equals: false },
    AND: [
      { decodedDataJson: { contains } },
      { decodedDataJson: { contains: '{"name":"isGood","type":"bool","value":true}' } },
    ],
  }
  const rows = sent(
    ({ revoked, decodedDataJson }) =>
      !revoked && decodedDataJson.includes(round) && decodedDataJson.includes('"type":"bool","value":true'),
  )
  expect(rows.length).toBeGreaterThan(3)
  expect(await ask(document, { where })).toEqual({ attestations: pick(rows, 'id') })
})

test('a poll counts the votes for each schema by its payload', async () => {
  const document = `{ groupByAttestation(
    where: { schemaId: {equals: "${schemaAt(0).id}"}, revoked: {equals: false}, data: {startsWith: "0x"}, decodedDataJson: {contains: "{\\"name\\":\\"level\\",\\"type\\":\\"uint8\\",\\"value\\":1}"} },
    by: [schemaId], orderBy: [{ _count: { schemaId: asc } }]) { schemaId _count { _all } } }`
  const rows = sent((row) => !row.revoked && row.decodedDataJson.includes('"type":"uint8","value":1}'))
  expect(await ask(document)).toEqual({
    groupByAttestation: [{ schemaId: schemaAt(0).id, _count: { _all: rows.length } }],
  })
})

test('a counter sums what an address made and received, each once', async () => {
  const document = `query Q($address: String) { aggregateAttestation(where: {OR: [{attester: {equals: $address}}, {recipient: {equals: $address}}]}) { _count { _all id } } }`
  const rows = sent((row) => row.attester === account(1) || row.recipient === account(1))
  const counts = { _all: rows.length, id: rows.length }
  expect(await ask(document, { address: account(1) })).toEqual({ aggregateAttestation: { _count: counts } })
})

test('the command line of EAS reads records and schemas by variables', async () => {
  const [record] = world.attestations
  expect(
    await ask(
      `query GetAttestation($where: AttestationWhereUniqueInput!) { attestation(where: $where) { ${scalars} schema { id schema } } getAttestation(where: $where) { id } }`,
      { where: { id: record?.id.toUpperCase().replace('0X', '0x') } },
    ),
  ).toEqual({
    attestation: { ...record, schema: { id: record?.schemaId, schema: schemaAt(3).schema } },
    getAttestation: { id: record?.id },
  })
  const schemaFields = 'id schema creator resolver revocable index txid time'
  expect(
    await ask(
      `query Schemata($creator: String!, $take: Int, $skip: Int) { schemata(where: {creator: {equals: $creator}}, orderBy: [{time: desc}], take: $take, skip: $skip) { ${schemaFields} } }`,
      { creator: account(0), take: 5, skip: 0 },
    ),
  ).toEqual({ schemata: [schemaAt(4), schemaAt(2), schemaAt(0)] })
  expect(
    await ask(
      `query S($id: String!) { schema(where: {id: $id}) { ${schemaFields} _count { attestations schemaNames } schemaNames { name isCreator attesterAddress schemaId } } }`,
      { id: schemaAt(0).id },
    ),
  ).toEqual({
    schema: {
      ...schemaAt(0),
      _count: { attestations: 60, schemaNames: 1 },
      schemaNames: [
        { name: 'Review', isCreator: true, attesterAddress: account(0), schemaId: schemaAt(0).id },
      ],
    },
  })
})

test('an explorer asks for a whole schema with its attestations, through fragments', async () => {
  const document = `query Explorer($id: String!) { schema(where: {id: $id}) { attestations { ...Row } } recipients: attestations(take: 1000) { address: recipient } }
    fragment Row on Attestation { id attester __typename }`
  const rows = sent((row) => row.schemaId === schemaAt(0).id)
  expect(await ask(document, { id: schemaAt(0).id, notDeclared: 1 })).toEqual({
    schema: { attestations: rows.map(({ id, attester }) => ({ id, attester, __typename: 'Attestation' })) },
    recipients: world.attestations.map(({ recipient }) => ({ address: recipient })),
  })
})

test('a loop reads everything by take and skip', async () => {
  const found: unknown[] = []
  const document = `query P($skip: Int!) { attestations(take: 25, skip: $skip, where: {schemaId: {equals: "${schemaAt(0).id}", mode: insensitive}}) { id } }`
  for (let skip = 0; ; skip += 25) {
    const { attestations } = (await ask(document, { skip })) as { attestations: unknown[] }
    found.push(...attestations)
    if (attestations.length < 25) break
  }
  expect(found).toEqual(
    pick(
      sent((row) => row.schemaId === schemaAt(0).id),
      'id',
    ),
  )
})

test('met in real life: references, names of ENS and a record in one document', async () => {
  const record = sent(({ refUID }) => !/^0x0+$/.test(refUID))[0]
  const document = `query M($refs: [String!], $ens: [String!], $where: AttestationWhereUniqueInput!) {
    attestations(where: {refUID: {in: $refs}}) { id } ensNames(where: {id: {in: $ens, mode: insensitive}}) { id name }
    attestation(where: $where) { id } }`
  expect(
    await ask(document, { refs: [record?.refUID], ens: [account(0)], where: { id: record?.id } }),
  ).toEqual({
    attestations: pick(
      sent((row) => row.refUID === record?.refUID),
      'id',
    ),
    ensNames: [],
    attestation: { id: record?.id },
  })
})

test('the latest record of each schema of a recipient, as OnchainKit asks for them', async () => {
  // The document and variables of `getAttestationsByFilter` of @coinbase/onchainkit 1.1.3.
  const document = `
  query AttestationsForUsers(
    $where: AttestationWhereInput
    $distinct: [AttestationScalarFieldEnum!]
    $take: Int
  ) {
    attestations(where: $where, distinct: $distinct, take: $take) {
      id
      txid
      schemaId
      attester
      recipient
      revoked
      revocationTime
      expirationTime
      time
      timeCreated
      decodedDataJson
    }
  }
`
  const conditions = {
    recipient: { equals: account(3) },
    revoked: { equals: false },
    OR: [{ expirationTime: { equals: 0 } }, { expirationTime: { gt: 1_900_000_000 } }],
    schemaId: { in: world.schemas.map(({ id }) => id) },
  }
  const rows = sent(
    ({ recipient, revoked, expirationTime }) =>
      recipient === account(3) && !revoked && (expirationTime === 0 || expirationTime > 1_900_000_000),
  )
  const first = rows.filter(
    (row, index) => rows.findIndex((each) => each.schemaId === row.schemaId) === index,
  )
  expect(first.length).toBeLessThan(rows.length)
  const names =
    'id txid schemaId attester recipient revoked revocationTime expirationTime time timeCreated decodedDataJson'
  expect(await ask(document, { where: { AND: [conditions] }, distinct: ['schemaId'], take: 10 })).toEqual({
    attestations: pick(first, ...(names.split(' ') as (keyof ExpectedAttestation)[])),
  })
  // Clients also send one value where the interface takes a list.
  const one = `query K($distinct: [AttestationScalarFieldEnum!]) { attestations(where: {recipient: {equals: "${account(3)}"}}, distinct: $distinct) { schemaId } }`
  expect(await ask(one, { distinct: 'schemaId' })).toEqual({
    attestations: [
      ...new Set(sent(({ recipient }) => recipient === account(3)).map(({ schemaId }) => schemaId)),
    ].map((schemaId) => ({ schemaId })),
  })
})

test('names and texts of schemas narrow attestations and schemas', async () => {
  const document = `query N($name: String!, $text: String!) {
    byName: attestations(take: 3, where: {schema: {is: {schemaNames: {some: {name: {equals: $name}}}}}}) { id }
    byText: aggregateAttestation(where: {schema: {is: {schema: {equals: $text}}}}) { _count { _all } }
    named: schemata(where: {schemaNames: {some: {name: {contains: "mine"}}}}) { id schemaNames { isCreator } }
    unused: schemata(where: {attestations: {none: {}}}) { id }
    top: schemata(orderBy: {attestations: {_count: desc}}, take: 2) { id }
    all: aggregateSchema { _count { _all } } }`
  expect(await ask(document, { name: 'Review', text: schemaAt(1).schema })).toEqual({
    byName: pick(sent((row) => row.schemaId === schemaAt(0).id).slice(0, 3), 'id'),
    byText: { _count: { _all: 6 } },
    named: [{ id: schemaAt(1).id, schemaNames: [{ isCreator: false }] }],
    unused: [],
    top: [{ id: schemaAt(0).id }, { id: schemaAt(1).id }],
    all: { _count: { _all: 5 } },
  })
})

describe('the SDK of Karma GAP, with another URL alone', () => {
  const idsOf = (rows: readonly { readonly uid: string }[]) => rows.map(({ uid }) => uid)
  let gap: Awaited<ReturnType<typeof createGapClient>>
  beforeAll(async () => {
    gap = await createGapClient(world)
  })
  afterAll(() => gap?.close())

  test('reads an attestation, and those that refer to it', async () => {
    const [details] = sent(({ schemaId }) => schemaId === schemaAt(4).id)
    const { uid, attester, recipient } = await gap.attestation(details?.refUID ?? '')
    const reviewed = sent(({ id }) => id === details?.refUID)[0]
    expect([uid, attester, recipient]).toEqual([reviewed?.id, reviewed?.attester, reviewed?.recipient])
    expect(idsOf(await gap.dependentsOf('Review', uid))).toEqual(
      sent((row) => row.refUID === uid && !row.revoked && row.schemaId === schemaAt(4).id).map(
        ({ id }) => id,
      ),
    )
  })

  test('reads all attestations of a schema to an account, and those whose JSON has a slug', async () => {
    const toAccount = sent(
      ({ schemaId, recipient, revoked }) =>
        schemaId === schemaAt(0).id && recipient === account(1) && !revoked,
    )
    expect(toAccount.length).toBeGreaterThan(5)
    expect(idsOf(await gap.attestationsTo('Review', account(1)))).toEqual(toAccount.map(({ id }) => id))
    // The SDK escapes the needle for JSON within JSON, for GraphQL and for LIKE.
    const needle = (slug: string) => String.raw`\\\\\"slug\\\\\":\\\\\"${slug}\\\\\"`
    const ids = async (slug: string) => idsOf(await gap.attestationsOf('ProjectDetails', [needle(slug)]))
    const [second] = sent(({ decodedDataJson }) => decodedDataJson.includes('The second'))
    expect([await ids('SECOND'), await ids('secon')]).toEqual([[second?.id], []])
    expect([await gap.slugExists('first'), await gap.slugExists('third')]).toEqual([true, false])
  })
})

test('groups of attesters, with what they made last', async () => {
  const document = `{ groupByAttestation(by: [attester], orderBy: [{_count: {attester: desc}}, {attester: asc}], having: {attester: {_count: {gt: 1}}}) { attester _count { attester } _max { time } _min { time } } }`
  const expected = [...new Set(world.attestations.map(({ attester }) => attester))]
    .map((attester) => {
      const rows = sent((row) => row.attester === attester)
      const times = rows.map(({ time }) => time)
      return {
        attester,
        _count: { attester: rows.length },
        _max: { time: Math.max(...times) },
        _min: { time: Math.min(...times) },
      }
    })
    .sort((a, b) => b._count.attester - a._count.attester || (a.attester < b.attester ? -1 : 1))
  expect(await ask(document)).toEqual({ groupByAttestation: expected })
})

test('records that cannot be revoked, under a schema whose records can', async () => {
  const document = `{ attestations(where: {revocable: {equals: false}, schema: {is: {revocable: {equals: true}}}}, take: 5) { id revocable schema { revocable } }
    last: attestations(orderBy: [{revocable: asc}, {time: asc}], take: 1) { id } }`
  const rows = sent(({ revocable }) => !revocable)
  expect(rows.length).toBeGreaterThan(5)
  expect(await ask(document)).toEqual({
    attestations: rows.slice(0, 5).map(({ id }) => ({ id, revocable: false, schema: { revocable: true } })),
    last: pick(rows.filter(({ time }) => time === rows.at(-1)?.time).slice(0, 1), 'id'),
  })
})

test('a record by its transaction, by a late revocation, by a range of time', async () => {
  const [record] = world.attestations
  const middle = world.attestations[30]?.time ?? 0
  const document = `query T($txid: String!, $middle: Int!) {
    byTransaction: attestations(where: {txid: {equals: $txid}}) { id }
    revoked: attestations(where: {revocationTime: {gt: 0}}, orderBy: [{revocationTime: desc}], take: 3) { revocationTime }
    since: aggregateAttestation(where: {time: {gte: $middle}}) { _count { _all } }
    before: findFirstAttestation(where: {timeCreated: {lt: $middle}}, orderBy: {timeCreated: asc}) { id }
    expiring: attestations(where: {OR: [{expirationTime: {equals: 0}}, {expirationTime: {gt: 1950000000}}], NOT: [{attester: {equals: "${account(0)}"}}]}, take: 1000) { id }
    last: attestations(take: -2) { id } }`
  const revocations = sent(({ revoked }) => revoked).map(({ revocationTime }) => revocationTime)
  expect(await ask(document, { txid: record?.txid, middle })).toEqual({
    byTransaction: pick(
      sent(({ txid }) => txid === record?.txid),
      'id',
    ),
    revoked: revocations
      .sort((a, b) => b - a)
      .slice(0, 3)
      .map((revocationTime) => ({ revocationTime })),
    since: { _count: { _all: sent(({ time }) => time >= middle).length } },
    before: { id: world.attestations.at(-1)?.id },
    expiring: pick(
      sent(
        ({ expirationTime, attester }) =>
          (expirationTime === 0 || expirationTime > 1_950_000_000) && attester !== account(0),
      ),
      'id',
    ),
    last: pick(world.attestations.slice(-2), 'id'),
  })
})

test('a dashboard asks for 27 counts at once; one more is above the configured limit', async () => {
  const count = (index: number) =>
    `a${index}: aggregateAttestation(where: {attester: {equals: "${account(index % 5)}"}}) { _count { _all } }`
  const counts = (length: number) => `{ ${Array.from({ length }, (_, index) => count(index)).join(' ')} }`
  const expected = Array.from({ length: 27 }, (_, index) => [
    `a${index}`,
    { _count: { _all: sent(({ attester }) => attester === account(index % 5)).length } },
  ])
  expect(await ask(counts(27))).toEqual(Object.fromEntries(expected))
  const { errors } = await world.query(counts(28))
  expect(errors?.[0]?.message).toMatch(/more than 27 root fields/)
})

test('a profile asks one of several named operations, a leaderboard for all rows, a visualiser for holders', async () => {
  const response = await fetch(`${world.url}/eas/${world.chainId}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      operationName: 'Profile',
      variables: { recipient: account(1) },
      query: `query Other { __typename }
        query Profile($recipient: String!) { __typename attestations(where: {recipient: {equals: $recipient}}, orderBy: [{timeCreated: desc}], take: 50) { id __typename } }`,
    }),
  })
  const received = sent(({ recipient }) => recipient === account(1)).slice(0, 50)
  expect(await response.json()).toEqual({
    data: {
      __typename: 'Query',
      attestations: received.map(({ id }) => ({ id, __typename: 'Attestation' })),
    },
  })
  const schema = schemaAt(0).id
  const middle = world.attestations[30]?.time ?? 0
  const document = `query L($schema: String!, $after: Int!) {
    named: attestations(where: {schemaId: {equals: $schema}, decodedDataJson: {contains: "FR"}}, take: 1000) { id }
    answers: aggregateAttestation(where: {refUID: {equals: "${world.attestations.at(-1)?.id}"}}) { _count { id } }
    holders: attestations(where: {AND: [{schemaId: {equals: $schema}}, {revoked: {equals: false}}], timeCreated: {gt: $after}}) { attester recipient timeCreated }
    made: attestations(where: {attester: {equals: "${account(1)}"}}, orderBy: [{time: desc}], take: 10, skip: 5) { id } }`
  const under = sent(({ schemaId }) => schemaId === schema)
  expect(await ask(document, { schema, after: middle })).toEqual({
    named: pick(
      under.filter(({ decodedDataJson }) => decodedDataJson.includes('FR')),
      'id',
    ),
    answers: { _count: { id: sent(({ refUID }) => refUID === world.attestations.at(-1)?.id).length } },
    holders: pick(
      under.filter(({ revoked, timeCreated }) => !revoked && timeCreated > middle),
      'attester',
      'recipient',
      'timeCreated',
    ),
    made: pick(sent(({ attester }) => attester === account(1)).slice(5, 15), 'id'),
  })
})

test('what cannot be answered says so, and what is unknown is null', async () => {
  expect(
    await ask(
      `{ attestation(where: {id: "0x12"}) { id } schema(where: {id: "nonsense"}) { id } findFirstAttestation(where: {OR: []}) { id } }`,
    ),
  ).toEqual({ attestation: null, schema: null, findFirstAttestation: null })
  const { errors } = await world.query('{ attestations(where: {id: {equals: null}}) { id } }')
  expect(errors?.[0]?.message).toBe('where.id.equals is null; give it a value, or leave it out.')
  expect(
    await ask('query($x: String) { attestations(where: {attester: {equals: $x}}, take: 1) { id } }'),
  ).toEqual({ attestations: pick(world.attestations.slice(0, 1), 'id') })
})

test('timestamps and off-chain revocations are those that were made', async () => {
  const [first, second] = [schemaAt(0).id, schemaAt(1).id]
  const document = `query A($from: String!, $uid: String!) {
    timestamps { id from txid tree timestamp }
    timestamp(where: {id: $uid}) { id }
    offchainRevocations(where: {from: {equals: $from}}, orderBy: {timestamp: asc}) { uid from txid timestamp }
    one: offchainRevocations(where: {uid: {equals: $uid}}) { uid }
    count: aggregateOffchainRevocation(where: {from: {equals: $uid}}) { _count { _all } } }`
  const zero = `0x${'0'.repeat(40)}`
  const { multiTimestamp, multiRevokeOffchain } = world.anchors
  const variables = { from: account(0), uid: first.toUpperCase().replace('0X', '0x') }
  await vi.waitUntil(async () => {
    const { offchainRevocations } = await ask('{ offchainRevocations { id } }')
    return Array.isArray(offchainRevocations) && offchainRevocations.length === 2
  }, 60_000)
  expect(await ask(document, variables)).toEqual({
    timestamps: [second, first].map((id) => ({ id, from: zero, tree: '', ...multiTimestamp })),
    timestamp: { id: first },
    offchainRevocations: [first, second].map((uid) => ({ uid, from: account(0), ...multiRevokeOffchain })),
    one: [{ uid: first }],
    count: { _count: { _all: 0 } },
  })
})

describe('paths', () => {
  const redirects = async (path: string) => {
    const response = await fetch(world.url + path, { redirect: 'manual' })
    return [response.status, response.headers.get('location')]
  }

  test("easscan's links lead to the explorer", async () => {
    const [record] = world.attestations
    expect(await redirects(`/eas/31337/attestation/view/${record?.id}`)).toEqual([
      302,
      `/attestation/onchain_evm_31337_${record?.id}`,
    ])
    expect(await redirects(`/eas/base/schema/view/${schemaAt(0).id}`)).toEqual([
      302,
      `/schema/onchain_evm_8453_${schemaAt(0).id}`,
    ])
    expect(await redirects(`/eas/1/address/${account(0).toLowerCase()}`)).toEqual([
      302,
      `/address/${account(0)}`,
    ])
    expect((await redirects('/eas/1/address/nobody'))[0]).toBe(404)
  })

  test('a chain without EAS, or no chain, is a 404 that names those with EAS', async () => {
    const post = async (path: string) => {
      const response = await fetch(world.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ attestations(take: 1) { id } }' }),
      })
      return { status: response.status, ...((await response.json()) as object) }
    }
    const first = { data: { attestations: pick(world.attestations.slice(0, 1), 'id') } }
    expect(await post('/eas/graphql')).toMatchObject({ status: 200, ...first })
    expect(await post('/api/eas/31337/graphql/graphql')).toMatchObject({ status: 200, ...first })
    expect(await post('/eas/base/graphql')).toMatchObject({
      status: 404,
      errors: [
        {
          message:
            'EAS is not indexed on chain 8453; it is indexed on chain 31337: ask /eas/<chain>/graphql.',
        },
      ],
    })
    expect(await post('/eas/nowhere/graphql')).toMatchObject({ status: 404 })
  })
})
