import { afterAll, expect, test } from 'vitest'
import type { KnownNames } from '@attestry/core/model/knownNames.ts'
import { createNames } from '@attestry/names/createNames.ts'
import { createServer } from '../../testing/createServer.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAddress } from '../../pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'

const attester = sampleAddress(2)
const schema = 'onchain_evm_11155111_0x1'
const ada = { name: 'Ada', link: 'https://ada.example', source: 'ada.example' }
const one = { name: 'Schema One', link: null, source: 'configuration' }
const labels = createNames(
  [
    { id: attester, ...ada },
    { id: schema, ...one },
  ],
  null,
)
const app = serve(labels)
afterAll(() => app.close())

function serve(names: KnownNames) {
  return createServer({ reader: openTestIndex(createSampleIndex()), names })
}

type Rows = readonly Readonly<Record<string, unknown>>[]

async function getRows(url: string): Promise<Rows> {
  const response = await app.inject(url)
  expect([response.statusCode, response.body]).toEqual([200, response.body])
  return response.json<{ data: { rows: Rows } }>().data.rows
}

test('records carry the names of their addresses and their schema, and nothing unless it is asked for', async () => {
  for (const query of ['', '&fields=detail', '&cursor=*']) {
    const list = `/scan/attestations?schemaId=${schema}&attester=${attester}${query}`
    const plain = await getRows(list)
    const named = await getRows(`${list}&include=names`)
    const [first] = plain
    const names = { [schema]: one, [String(first?.['attester'])]: ada }
    expect(named).toEqual(plain.map((row) => ({ ...row, names })))
  }
})

test('the words of include stand in any order', async () => {
  const list = `/scan/attestations?schemaId=${schema}`
  const rows = await getRows(`${list}&include=protocol,names`)
  expect(await getRows(`${list}&include=names,protocol`)).toEqual(rows)
  expect(rows[0]).toMatchObject({ protocol: 'sign', names: { [schema]: one } })
})

test('an attestation with the id of a named schema is not that schema', async () => {
  const single = await app.inject(`/scan/attestations/${schema}?include=names`)
  const { names, fullSchemaId } = single.json<{ data: { names: object; fullSchemaId: string } }>().data
  expect(Object.keys(names).filter((id) => id.startsWith('onchain'))).toEqual(
    fullSchemaId === schema ? [schema] : [],
  )
})

test('schemas, groups and addresses carry names', async () => {
  const schemas = await getRows(`/scan/schemas?include=names&size=100`)
  expect(schemas.find(({ id }) => id === schema)?.['names']).toEqual({ [schema]: one })
  const groups = await getRows('/scan/aggregate/attestations?by=attester&include=names')
  expect(
    groups.filter(({ names }) => names !== undefined && Object.keys(names as object).length > 0),
  ).toEqual([
    {
      key: expect.stringMatching(new RegExp(attester, 'i')),
      count: expect.any(Number),
      names: expect.any(Object),
    },
  ])
  const statistics = await app.inject(`/scan/addresses/${attester}/statistics?include=names`)
  const { names } = statistics.json<{ data: { names: object } }>().data
  expect(Object.values(names)).toEqual([ada])
})

test('a search finds what contains the text in a name', async () => {
  const search = async (query: string) => {
    const response = await app.inject(`/scan/search?${query}`)
    return response
      .json<{ data: { queryResult: { type: string; rows: unknown[]; total: number }[] } }>()
      .data.queryResult.find(({ type }) => type === 'name')
  }
  expect(await search('keyword=ADA')).toEqual({ type: 'name', rows: [{ id: attester, ...ada }], total: 1 })
  expect(await search('keyword=nobody')).toBeUndefined()
  expect(await search('keyword=nobody&filter=name')).toEqual({ type: 'name', rows: [], total: 0 })
})

test('answers with names are kept, unless names come and go while the index stays as it is', async () => {
  let name: string | null = null
  const find: KnownNames['find'] = () => (name === null ? undefined : { ...ada, name })
  const other = serve({ ...labels, change: true, find })
  const ask = async () => (await other.inject(`/scan/attestations?include=names&size=1`)).body
  // An answer is kept from the second question on.
  for (let turn = 0; turn < 3; turn++) expect(await ask()).not.toContain('Eve')
  name = 'Eve'
  expect(await ask()).toContain('Eve')
  await other.close()
})

test.each([
  ['a search', '/scan/search?keyword=eve.eth'],
  ['an include that is percent-encoded', '/scan/attestations?include=n%61mes&size=1'],
])('%s is asked again where ENS answers later', async (_, url) => {
  let found: readonly [typeof ada & { readonly id: string }] | readonly [] = []
  const other = serve({
    ...labels,
    change: true,
    find: () => found[0],
    search: () => Promise.resolve(found),
  })
  const ask = async () => (await other.inject(url)).body
  // An answer is kept from the second question on.
  for (let turn = 0; turn < 3; turn++) expect(await ask()).not.toContain('Eve')
  found = [{ ...ada, id: attester, name: 'Eve' }]
  expect(await ask()).toContain('Eve')
  await other.close()
})
