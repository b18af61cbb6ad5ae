import { afterAll, describe, expect, test } from 'vitest'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { createServer } from '../../testing/createServer.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleSchema,
} from '../../pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '../../pipeline/testing/testIndex.ts'

const [level, city, tags, person, odd] = [1n, 2n, 3n, 4n, 5n].map(localIdOfCounter)
const id = (localId = level) => `onchain_evm_${sampleChainId}_${localId}`
const schemaOf = (number: number, fields: readonly SchemaField[]) =>
  sampleSchema(number, { definition: { name: `Schema ${number}`, description: '', fields } })
const oddNames = ['a.b', 'c[d]', 'e\\f', '', '愛 💛', 'g&h=i+j%', '__proto__']

const schemas = [
  schemaOf(1, [
    { name: 'level', type: 'int16' },
    { name: 'passed', type: 'bool' },
    { name: 'who', type: 'address' },
  ]),
  schemaOf(2, [
    { name: 'city', type: 'string' },
    { name: 'level', type: 'string' },
  ]),
  schemaOf(3, [{ name: 'tags', type: 'string[]' }]),
  schemaOf(4, [{ name: 'person', type: '[{"name":"name","type":"string"},{"name":"age","type":"uint8"}]' }]),
  schemaOf(
    5,
    oddNames.map((name) => ({ name, type: 'string' })),
  ),
]

const strings = parseAbiParameters('string, string')
const cities = ['Lisbon', 'lisbon', 'Kyiv', 'Kyiv\0', '', '\u{1F4A9} "x", \\', 'Ky%iv_', '2']
const payloads: readonly (readonly [schema: typeof level, data: string])[] = [
  ...[-1, 0, 2, 7, 100].map(
    (value) =>
      [
        level,
        encodeAbiParameters(parseAbiParameters('int16, bool, address'), [
          value,
          value > 2,
          sampleAddress(value + 9),
        ]),
      ] as const,
  ),
  ...cities.map((name) => [city, encodeAbiParameters(strings, [name, '2'])] as const),
  ...[[], ['x'], ['x', 'y'], ['y', 'z', 'y']].map(
    (each) => [tags, encodeAbiParameters(parseAbiParameters('string[]'), [each])] as const,
  ),
  [
    person,
    encodeAbiParameters(
      [{ type: 'tuple', components: [{ type: 'string' }, { type: 'uint8' }] }],
      [['Ada', 36]],
    ),
  ],
  [
    odd,
    encodeAbiParameters(
      oddNames.map(() => ({ type: 'string' as const })),
      oddNames,
    ),
  ],
  // Not decodable.
  [level, '0x02'],
]
const attestations = payloads.map(([schemaLocalId = localIdOfCounter(9n), data], index) =>
  sampleAttestation(index + 1, { schemaLocalId, data: data as Hex, attester: sampleAddress(index % 2) }),
)

const reader = openTestIndex(createTestIndex({ schemas, attestations }))
const app = createServer({
  reader,
  decodePayload: decodeAttestedPayload,
  listFieldPaths,
})
afterAll(() => app.close())

interface Found {
  readonly total: number
  readonly rows: readonly { readonly attestationId: string }[]
}

/** The numbers of the attestations that a query finds, oldest first, by page, by cursor and by export. */
async function find(query: string): Promise<number[]> {
  const { statusCode, body } = await app.inject(`/scan/attestations?size=100&${query}`)
  expect(body).toContain('"success":true')
  expect(statusCode).toBe(200)
  const { total, rows } = (JSON.parse(body) as { data: Found }).data
  expect(rows).toHaveLength(total)
  const numbers = rows.map(({ attestationId }) => Number(attestationId)).reverse()
  const walked = await app.inject(`/scan/attestations?size=100&cursor=*&${query}`)
  expect(walked.json<{ data: Found }>().data.rows).toEqual(rows)
  const exported = await app.inject(`/scan/export/attestations.ndjson?${query}`)
  const lines = exported.body.split('\n').filter((line) => line !== '')
  expect(lines.map((line) => Number((JSON.parse(line) as { attestationId: string }).attestationId))).toEqual(
    numbers,
  )
  return numbers
}

const field = (name: string, value: string) =>
  `field[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`
const listed = (name: string, values: readonly string[]) =>
  `field[${name}][in]=${encodeURIComponent(JSON.stringify(values))}`
const under = (localId: typeof level) => `schemaId=${id(localId)}`

describe('conditions on fields find', () => {
  test.each<[string, readonly number[]]>([
    [`${under(level)}&field[level]=7`, [4]],
    [`${under(level)}&field[level]=007`, [4]],
    [`${under(level)}&field[level]=-1`, [1]],
    [`${under(level)}&field[level]=-0`, [2]],
    [`${under(level)}&field[level]=3`, []],
    [`${under(level)}&field[level][gte]=2`, [3, 4, 5]],
    [`${under(level)}&field[level][gt]=2`, [4, 5]],
    [`${under(level)}&field[level][lt]=0`, [1]],
    [`${under(level)}&field[level][lte]=0`, [1, 2]],
    [`${under(level)}&field[level][gt]=-5&field[level][lt]=7`, [1, 2, 3]],
    [`${under(level)}&field[level][gt]=${'9'.repeat(100)}`, []],
    [`${under(level)}&field%5Blevel%5d%5Bgte%5D=100`, [5]],
    [`${under(level)}&%66ield[level]=100`, [5]],
    [`${under(level)}&field[passed]=true`, [4, 5]],
    [`${under(level)}&field[passed]=true&field[level]=7`, [4]],
    [`${under(level)}&field[who]=${sampleAddress(16).toUpperCase().replace('0X', '0x')}`, [4]],
    [`${under(level)}&field[level][gte]=0&attester=${sampleAddress(0)}`, [3, 5]],
    [`${under(level)}&field[level][gte]=0&attestedBefore=1700100004`, [2, 3]],
    ['field[level]=2', [3, 6, 7, 8, 9, 10, 11, 12, 13]],
    ['field[level]=02', [3]],
    [listed('level', ['02', '7', 'x']), [3, 4]],
    [`${under(city)}&field[city]=Lisbon`, [6]],
    [`${under(city)}&field[city]=Kyiv%00`, [9]],
    [`${under(city)}&field[city]=`, [10]],
    [`${under(city)}&${field('city', '\u{1F4A9} "x", \\')}`, [11]],
    [`${under(city)}&${listed('city', ['Lisbon', 'Kyiv\0', 'Lisbon', '\ud800'])}`, [6, 9]],
    [`${under(city)}&field[city][contains]=y`, [8, 9, 12]],
    [`${under(city)}&field[city][contains]=%25`, [12]],
    [`${under(city)}&field[city][startsWith]=Ky`, [8, 9, 12]],
    [`${under(city)}&field[city][startsWith]=`, [6, 7, 8, 9, 10, 11, 12, 13]],
    [`${under(tags)}&field[tags]=y`, [16, 17]],
    [`${under(tags)}&field[tags]=x&${listed('tags', ['y', 'z'])}`, [16]],
    [`${under(tags)}&${listed('tags', ['x', 'y', 'z'])}`, [15, 16, 17]],
    [`${under(person)}&field[person.name]=Ada&field[person.age][gt]=35`, [18]],
    ['field[person.name]=Ada', [18]],
    ...['a\\.b', 'c\\[d\\]', 'e\\\\f', '愛 💛', 'g&h=i+j%', '__proto__'].map(
      (name, index): [string, readonly number[]] => [
        `${under(odd)}&${field(name, ['a.b', 'c[d]', 'e\\f', '愛 💛', 'g&h=i+j%', '__proto__'][index] ?? '')}`,
        [19],
      ],
    ),
    [`${under(odd)}&field[]=`, [19]],
    ['schemaId=onchain_evm_1_0x1&field[any][gt]=x', []],
    ['schemaId=SPS_x&field[any][gt]=x', []],
    ['field[nowhere]=1', []],
    [`field[${'n'.repeat(900)}]=1`, []],
  ])('%s', async (query, expected) => {
    expect(await find(query)).toEqual(expected)
  })

  test('the same by GraphQL', async () => {
    const query = `query ($filter: AttestationFilter) {
      attestations(filter: $filter, first: 100, orderBy: OLDEST_FIRST) { totalCount nodes { attestationId } } }`
    const ask = async (filter: object) => {
      const response = await app.inject({
        method: 'POST',
        url: '/graphql',
        payload: { query, variables: { filter } },
      })
      const { data, errors } = response.json<{
        data: { attestations: { totalCount: number; nodes: { attestationId: string }[] } }
        errors?: { message: string }[]
      }>()
      return errors?.[0]?.message ?? data.attestations.nodes.map(({ attestationId }) => Number(attestationId))
    }
    const schemaId = id(level)
    expect(await ask({ schemaId, fields: [{ name: 'level', gte: '2', lt: '100' }] })).toEqual([3, 4])
    expect(
      await ask({
        schemaId,
        fields: [
          { name: 'level', in: ['2', '7'] },
          { name: 'passed', equals: 'true' },
        ],
      }),
    ).toEqual([4])
    expect(await ask({ fields: [{ name: 'person.name', equals: 'Ada' }] })).toEqual([18])
    expect(await ask({ schemaId: id(city), fields: [{ name: 'city', contains: '\0' }] })).toEqual([9])
    expect(await ask({ fields: [] })).toHaveLength(attestations.length)
    expect(await ask({ fields: [{ name: 'a[', equals: '' }] })).toMatch(/^fields\[0\]\.name .*'a\['/)
    expect(await ask({ fields: [{ name: 'a', equals: null }] })).toMatch(
      /^fields\[0\] has no condition; give one of equals, in/,
    )
    expect(
      await ask({
        fields: [
          { name: 'a', equals: '' },
          { name: 'b', in: [] },
        ],
      }),
    ).toMatch(/^fields\[1\]\.in must have 1 to 100 texts; it had 0/)
    expect(await ask({ fields: [{ name: 'level', gt: '1' }] })).toMatch(
      /^field\[level\]\[gt\] needs schemaId/,
    )
    expect(await ask({ fields: Array.from({ length: 21 }, () => ({ name: 'a', equals: '1' })) })).toMatch(
      /at most 20 conditions; there were 21/,
    )
  })
})

describe('a mistake in a condition is one sentence with its place', () => {
  test.each<[string, string]>([
    [
      'field=x',
      "field must name a field in brackets; write field[name]=value or field[name][operator]=value; it was field='x'.",
    ],
    ['field[a=x', "field cannot be read at character 8 of 'field[a'"],
    ['field[a]b=x', "field cannot be read at character 9 of 'field[a]b'"],
    ['field[a[b]]=x', "field cannot be read at character 8 of 'field[a[b]]'"],
    ['field[a][gt][lt]=x', 'field cannot be read at character 9 of'],
    ['field[a\\n]=x', 'field cannot be read at character 8 of'],
    [`field[${'n'.repeat(1_001)}]=x`, 'field cannot be read at character'],
    ['field[%ff]=x', 'field is not percent-encoded UTF-8'],
    ['field[a]=%ff', 'field is not percent-encoded UTF-8'],
    ['field[]=x', 'field[] names no field'],
    [
      'field[a][is]=x',
      "field[a] has no operator 'is'; use in, gt, gte, lt, lte, contains, startsWith, or none for equality.",
    ],
    ['field[a][GT]=x', "field[a] has no operator 'GT'"],
    ['field[a]=1&field%5Ba%5D=2', 'field[a] is given more than once'],
    ['field[a][in]=["1"]&field[a][in]=["2"]', 'field[a][in] is given more than once'],
    [
      'field[a][in]=',
      'field[a][in] must be a JSON array of 1 to 100 texts such as ["Lisbon","Kyiv"]; it was \'\'.',
    ],
    ['field[a][in]=a,b', 'field[a][in] must be a JSON array'],
    ['field[a][in]="a"', 'field[a][in] must be a JSON array'],
    ['field[a][in]=[]', 'field[a][in] must have 1 to 100 texts; it had 0.'],
    [listed('a', Array.from({ length: 101 }, String)), 'field[a][in] must have 1 to 100 texts; it had 101.'],
    ['field[a][in]=["1",2]', "field[a][in][1] must be a text in quotation marks; it was '2'."],
    ['field[a][gt]=1', 'field[a][gt] needs schemaId, which says what type the field has; add it.'],
    ['field[a][contains]=1', 'field[a][contains] needs schemaId'],
    [
      Array.from({ length: 21 }, (_, i) => `field[f${i}]=1`).join('&'),
      'field takes at most 20 conditions; there were 21.',
    ],
    [
      `${under(level)}&field[lvl]=1`,
      "field[lvl] is no field of the schema, which has 'level', 'passed', 'who'.",
    ],
    [
      `${under(person)}&field[person]=1`,
      "field[person] is no field of the schema, which has 'person.name', 'person.age'.",
    ],
    [
      `${under(level)}&field[level][contains]=1`,
      "field[level][contains] does not fit: the type of the field is 'int16', which has equality, in, gt, gte, lt, lte.",
    ],
    [`${under(level)}&field[who][gt]=1`, "the type of the field is 'address', which has equality, in."],
    [
      `${under(city)}&field[city][gt]=1`,
      "the type of the field is 'string', which has equality, in, contains, startsWith.",
    ],
    [
      `${under(level)}&field[level]=1e3`,
      "field[level] must be a whole number in decimal digits, since the type of the field is 'int16'; it was '1e3'.",
    ],
    [`${under(level)}&field[level][gt]=`, 'field[level][gt] must be a whole number in decimal digits'],
    [`${under(level)}&field[passed]=yes`, 'field[passed] must be true or false'],
    [`${under(level)}&field[who]=me.eth`, 'field[who] must be 0x followed by pairs of hexadecimal digits'],
    [
      `${under(level)}&${listed('level', ['1', 'x'])}`,
      "field[level][in] must be a whole number in decimal digits, since the type of the field is 'int16'; it was 'x'.",
    ],
    ['keyword=x&field[a]=1', 'keyword does not combine with field; leave one of them out.'],
  ])('%s', async (query, message) => {
    const urls = ['/scan/attestations', '/scan/export/attestations.csv']
    for (const path of query.includes('keyword') ? urls.slice(0, 1) : urls) {
      const response = await app.inject(`${path}?${query}`)
      expect(response.json()).toEqual({
        success: false,
        statusCode: 400,
        data: {},
        message: expect.stringContaining(message) as string,
      })
    }
  })
})

describe('groups by a field', () => {
  const ask = async (by: string, more = '') => {
    const response = await app.inject(`/scan/aggregate/attestations?by=${encodeURIComponent(by)}${more}`)
    const { data, message } = response.json<{
      data: { total: number; groups: number; rows: readonly { key: string; count: number }[] }
      message: string
    }>()
    if (response.statusCode !== 200) return message
    return [data.total, data.groups, data.rows.map(({ key, count }) => `${key} ${count}`)]
  }

  test.each([
    ['field[passed]', `&${under(level)}`, [6, 2, ['false 3', 'true 2']]],
    ['field[passed]', `&${under(level)}&field[level][gte]=2`, [3, 2, ['true 2', 'false 1']]],
    ['field[tags]', `&${under(tags)}`, [4, 3, ['x 2', 'y 2', 'z 1']]],
    ['field[person.name]', `&${under(person)}`, [1, 1, ['Ada 1']]],
    ['field[a\\.b]', `&${under(odd)}`, [1, 1, ['a.b 1']]],
    ['field[__proto__]', `&${under(odd)}`, [1, 1, ['__proto__ 1']]],
    ['field[level]', `&schemaId=${id(localIdOfCounter(99n))}`, [0, 0, []]],
  ])('%s%s', async (by, more, expected) => {
    expect(await ask(by, more)).toEqual(expected)
  })

  test.each([
    ['field[level]', '', /^by=field\[name\] needs schemaId/],
    ['field[none]', `&${under(level)}`, /^field\[none\] is no field of the schema, which has/],
    ['field[a.b]', `&${under(odd)}`, /is no field of the schema/],
    ['field[a[b]', `&${under(odd)}`, /^by must be/],
    ['field[', `&${under(odd)}`, /^by must be/],
  ])('refuse %s%s', async (by, more, message) => {
    expect(await ask(by, more)).toMatch(message)
  })
})
