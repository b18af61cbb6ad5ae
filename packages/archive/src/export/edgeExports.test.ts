import { parquetReadObjects } from 'hyparquet'
import { afterAll, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { createTestIndex, openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { everyAttestation as everything } from '@attestry/core/index/indexQueries.ts'
import { createHeldEdges, withEdges } from './edges.ts'

const nowS = 1_800_000_000
const schema = 'onchain_evm_11155111_0x1'
const [a, b, c] = [1, 2, 3].map((number) => sampleAddress(number))

/** Attestations of `a` and `b`, one expired and one revoked. */
const attestations = [
  { attester: a, to: [b], time: 100 },
  { attester: a, to: [b, c], time: 200 },
  { attester: b, to: [a], time: 300 },
  { attester: a, to: [b], time: 400, validUntil: 500n },
  { attester: a, to: [b], time: 450 },
  { attester: a, to: [b, b], time: 600 },
  { attester: a, to: [b], time: 700, schema: 2n },
  { attester: a, to: [], time: 800 },
].map(({ attester, to, time, validUntil = 0n, schema: under = 1n }, index) =>
  sampleAttestation(index + 1, {
    attester: attester!,
    recipients: to.map((address) => ({ kind: 'address', address: address! })),
    schemaLocalId: localIdOfCounter(under),
    attestTimestamp: unixSeconds(time),
    validUntil,
  }),
)
const index = createTestIndex({
  schemas: [sampleSchema(1), sampleSchema(2)],
  attestations,
  revocations: { '0x5': { timestamp: '460', reason: '', transactionHash: `0x${'0'.repeat(64)}` } },
  chains: [sampleChain({ updatedAt: unixMilliseconds(nowS * 1000) })],
})
const app = createServer({ reader: openTestIndex(index), now: () => unixMilliseconds(nowS * 1000) })
afterAll(() => app.close())

const [from, to, third] = [a, b, c].map((address) => checksumAddress(address!))
const edges = [
  { from, to, schema, count: 3, first: 100, last: 600 },
  { from, to: third, schema, count: 1, first: 200, last: 200 },
  { from: to, to: from, schema, count: 1, first: 300, last: 300 },
]

test('edges are the valid attestations by attester, recipient and schema', async () => {
  const { data } = (await app.inject(`/scan/edges?schemaId=${schema}`)).json<{ data: { rows: unknown[] } }>()
  expect(data.rows).toEqual(edges)
  const all = (await app.inject('/scan/edges')).json<{ data: { rows: unknown[] } }>().data.rows
  expect(all).toEqual([
    ...edges,
    { from, to, schema: 'onchain_evm_11155111_0x2', count: 1, first: 700, last: 700 },
  ])
  const some = (await app.inject(`/scan/edges?attester=${b}`)).json()
  expect(some).toMatchObject({ data: { rows: edges.slice(2) } })
  expect((await app.inject('/scan/edges?schemaId=SPS_x')).json()).toMatchObject({ data: { rows: [] } })
})

test('GraphQL has the same edges, of valid attestations only', async () => {
  const ask = async (filter: string) =>
    (
      await app.inject({
        method: 'POST',
        url: '/graphql',
        payload: { query: `{ edges(filter: ${filter}) { from to schema count first last } }` },
      })
    ).json<{ data: { edges: unknown } | null; errors?: { message: string }[] }>()
  expect((await ask(`{ schemaId: "${schema}" }`)).data).toEqual({ edges })
  expect((await ask(`{ attester: "${b}" }`)).data).toEqual({ edges: edges.slice(2) })
  const refused = await ask('{ revoked: true }')
  expect(refused.errors?.[0]?.message).toBe(
    'Edges are of valid attestations; leave revoked out of the filter.',
  )
})

test('files of edges say the same in each form', async () => {
  const file = (form: string) => app.inject(`/scan/export/edges.${form}?schemaId=${schema}`)
  const lines = (await file('ndjson')).body.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(edges)
  const rows = edges.map((edge) => `${Object.values(edge).join(',')}\r\n`)
  expect((await file('csv')).body).toBe(['from,to,schema,count,first,last\r\n', ...rows].join(''))
  const { rawPayload } = await file('parquet')
  const read = await parquetReadObjects({ file: Uint8Array.from(rawPayload).buffer })
  expect(read).toEqual(
    edges.map(({ count, first, last, ...ends }) => ({
      ...ends,
      count: BigInt(count),
      first: new Date(first * 1_000),
      last: new Date(last * 1_000),
    })),
  )
})

test('edges are not filtered by validity or keyword', async () => {
  const statusOf = async (query: string) => (await app.inject(`/scan/edges?${query}`)).statusCode
  expect(await statusOf('keyword=kyc')).toBe(400)
  expect(await statusOf('attestedBefore=x')).toBe(400)
})

test('answers hold a bounded number of edges, and give them back', async () => {
  const slice = () =>
    openTestIndex(index).sliceAttestations(
      { filter: everything, order: 'oldestFirst', after: null, limit: 100 },
      { detail: false, schema: false },
    )
  const held = createHeldEdges(5)
  const first = withEdges(slice, held, async function* (all) {
    yield* all
  })
  await first.next()
  const ask = async (most?: number) => {
    for await (const _ of withEdges(
      slice,
      held,
      async function* (all) {
        yield* all
      },
      most,
    ))
      continue
  }
  await expect(ask()).rejects.toThrow('Other answers hold too many edges; ask again later.')
  await first.return(undefined)
  await ask()
  await expect(ask(3)).rejects.toThrow('More than 3 attestations pass the filters; /scan/export/edges.ndjson')
  const few = createHeldEdges(2)
  const beyond = withEdges(slice, few, async function* (all) {
    yield* all
  })
  await expect(beyond.next()).rejects.toThrow('More than 2 edges pass the filters')
  // The share of a failed answer is free again.
  await ask()
})
