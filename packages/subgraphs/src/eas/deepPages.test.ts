import { afterAll, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { serveEas } from './serveEas.ts'

const chainId = 10

function uid(number: number): LocalId {
  const id = parseLocalId(`0x${number.toString(16).padStart(64, '0')}`)
  if (id === null) throw new Error('no uid')
  return id
}

/** Three in a row share a time. Half are under each of two schemas, a third of each attester and recipient. */
const rows = Array.from({ length: 1_200 }, (_, number) => ({
  id: uid(1_000 + number),
  schemaId: uid(1 + (number % 2)),
  attester: sampleAddress(number % 3),
  recipient: sampleAddress(10 + ((number >> 2) % 3)),
  time: 1_700_000_000 + Math.floor(number / 3) * 600,
  revoked: number % 5 < 2,
}))
const index = createTestIndex({
  schemas: [1, 2].map((number) =>
    sampleSchema(number, {
      key: { chainId, localId: uid(number) },
      protocol: 'eas',
      position: eventPosition(100, number),
    }),
  ),
  attestations: rows.map(({ id, schemaId, attester, recipient, time, revoked }, number) =>
    sampleAttestation(number, {
      key: { chainId, localId: id },
      protocol: 'eas',
      position: eventPosition(2_000 + Math.floor(number / 3), number % 3),
      attestTimestamp: unixSeconds(time),
      schemaLocalId: schemaId,
      attester,
      recipients: [{ kind: 'address', address: recipient }],
      revocationAtRead: revoked ? { kind: 'made', timestamp: BigInt(time) } : { kind: 'none' },
    }),
  ),
  chains: [sampleChain({ chainId, protocols: ['eas'], name: 'OP Mainnet' })],
})
const app = createServer({ reader: openTestIndex(index), wings: [serveEas({ limits: { rows: 200 } })] })
afterAll(() => app.close())

async function ask(variables: object): Promise<{ data?: { attestations: object[] }; errors?: object[] }> {
  const query = `query ($where: AttestationWhereInput, $order: [AttestationOrderByWithRelationInput!], $take: Int, $skip: Int) {
    attestations(where: $where, orderBy: $order, take: $take, skip: $skip) { id }
  }`
  return (await app.inject({ method: 'POST', url: '/eas/10/graphql', payload: { query, variables } })).json()
}

const newestFirst = rows.toReversed()

test.each([
  ['a schema', { schemaId: { equals: uid(1) } }, (row: (typeof rows)[0]) => row.schemaId === uid(1)],
  [
    'an attester',
    { attester: { equals: checksumAddress(sampleAddress(2)) } },
    (row: (typeof rows)[0]) => row.attester === sampleAddress(2),
  ],
  [
    'a recipient under a schema',
    { recipient: { equals: sampleAddress(11) }, schemaId: { equals: uid(2) } },
    (row: (typeof rows)[0]) => row.recipient === sampleAddress(11) && row.schemaId === uid(2),
  ],
  ['the chain', {}, () => true],
  ['the living rows of the chain', { revoked: { equals: false } }, (row: (typeof rows)[0]) => !row.revoked],
  [
    'the living rows of a schema',
    { schemaId: { equals: uid(1) }, revoked: { equals: false } },
    (row: (typeof rows)[0]) => row.schemaId === uid(1) && !row.revoked,
  ],
  [
    'the revoked rows of an attester',
    { attester: { equals: checksumAddress(sampleAddress(2)) }, revoked: { equals: true } },
    (row: (typeof rows)[0]) => row.attester === sampleAddress(2) && row.revoked,
  ],
  [
    'the living rows of a recipient',
    { recipient: { equals: sampleAddress(11) }, revoked: { equals: false } },
    (row: (typeof rows)[0]) => row.recipient === sampleAddress(11) && !row.revoked,
  ],
])('any page of %s reads no more rows than a page has', async (_list, where, passes) => {
  const listed = newestFirst.filter(passes)
  for (const skip of [101, 130, 201, listed.length - 3, listed.length, listed.length + 7]) {
    const take = 20
    const ids = (of: readonly { readonly id: LocalId }[]) =>
      of.slice(skip, skip + take).map(({ id }) => ({ id }))
    const newest = { attestations: ids(listed) }
    expect(await ask({ where, take, skip })).toEqual({ data: newest })
    const oldest = { attestations: ids(listed.toReversed()) }
    expect(await ask({ where, take, skip, order: [{ time: 'asc' }] })).toEqual({ data: oldest })
    expect(await ask({ where, take: -take, skip })).toEqual({
      data: { attestations: oldest.attestations.toReversed() },
    })
  }
})

test('rows that the index does not rank are read, and counted', async () => {
  const where = { time: { gte: rows[0]?.time }, schemaId: { equals: uid(1) } }
  expect((await ask({ where, take: 1, skip: 250 })).errors).toHaveLength(1)
})

test.each([
  ['asc', 'asc'],
  ['asc', 'desc'],
  ['desc', 'asc'],
  ['desc', 'desc'],
] as const)(
  'rows of one time %s are ordered by a second key %s, at the cost of a page',
  async (time, second) => {
    for (const field of ['id', 'attester', 'schemaId'] as const) {
      const sorted = newestFirst.toSorted((a, b) => {
        const byTime = time === 'asc' ? a.time - b.time : b.time - a.time
        const [one, other] = [a, b].map((row) =>
          field === 'attester' ? checksumAddress(row.attester) : row[field],
        ) as [string, string]
        const bySecond = one === other ? 0 : one < other ? -1 : 1
        return byTime || (second === 'asc' ? bySecond : -bySecond)
      })
      const order = [{ timeCreated: time }, { [field]: second }]
      for (const skip of [0, 1, 50, 301, 1_190]) {
        const expected = sorted.slice(skip, skip + 10).map(({ id }) => ({ id }))
        expect(await ask({ take: 10, skip, order })).toEqual({ data: { attestations: expected } })
      }
    }
  },
)
