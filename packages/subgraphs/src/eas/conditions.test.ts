import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { createEasTestServer, schemaSender, type EasRow } from '@attestry/server/testing/easServer.ts'

const { app, ask, attestations } = createEasTestServer()
afterAll(() => app.close())

/** One filter of a field, and what it means; `where` and `passes` are written apart from the program's own reading. */
interface Case {
  readonly where: object
  readonly passes: (row: EasRow) => boolean
}

const isHex = (field: string) =>
  ['id', 'recipient', 'attester', 'refUID', 'txid', 'schemaId', 'data'].includes(field)
const fold = (field: string, value: unknown) => (isHex(field) ? String(value).toLowerCase() : value)
const valuesOf = (field: string) => [...new Set(attestations.map((row) => row[field] ?? ''))]

function filterOf(field: string): fc.Arbitrary<Case> {
  const value = fc.constantFrom(...valuesOf(field))
  const same = (row: EasRow, wanted: unknown) => fold(field, row[field]) === fold(field, wanted)
  const of = (filter: object): object => ({ [field]: filter })
  const equals = value.map((wanted): Case => ({
    where: of({ equals: wanted }),
    passes: (row) => same(row, wanted),
  }))
  const not = value.map((wanted): Case => ({
    where: of({ not: { equals: wanted } }),
    passes: (row) => !same(row, wanted),
  }))
  if (typeof attestations[0]?.[field] === 'boolean') return fc.oneof(equals, not)
  const lists = fc.array(value, { maxLength: 3 })
  const isIn = lists.map((wanted): Case => ({
    where: of({ in: wanted }),
    passes: (row) => wanted.some((each) => same(row, each)),
  }))
  const notIn = lists.map((wanted): Case => ({
    where: of({ notIn: wanted }),
    passes: (row) => !wanted.some((each) => same(row, each)),
  }))
  const compared = value.map((wanted): Case => ({
    where: of({ gte: wanted }),
    passes: (row) => (fold(field, row[field]) as string) >= (fold(field, wanted) as string),
  }))
  const below = value.map((wanted): Case => ({
    where: of({ lt: wanted }),
    passes: (row) => (fold(field, row[field]) as string) < (fold(field, wanted) as string),
  }))
  const common = [equals, not, isIn, notIn, compared, below]
  if (typeof attestations[0]?.[field] === 'number') return fc.oneof(...common)
  const part = fc
    .tuple(value, fc.nat(60), fc.nat(20))
    .map(([text, from, size]) => String(text).slice(from, from + size))
  const escaped = (text: string) => text.replaceAll(/[%_\\]/g, '\\$&')
  const contains = part.map((text): Case => ({
    where: of({ contains: escaped(text) }),
    passes: (row) => String(fold(field, row[field])).includes(String(fold(field, text))),
  }))
  const starts = part.map((text): Case => ({
    where: of({ startsWith: escaped(text), mode: 'insensitive' }),
    passes: (row) => String(row[field]).toLowerCase().startsWith(text.toLowerCase()),
  }))
  return fc.oneof(...common, contains, starts)
}

const fields = Object.keys(attestations[0] ?? {})
const anyFilter = fc.constantFrom(...fields).chain(filterOf)
const usualFilter = fc
  .constantFrom('schemaId', 'attester', 'recipient', 'revoked', 'id', 'time', 'refUID')
  .chain(filterOf)

const condition = fc.letrec<{ node: Case }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    usualFilter,
    anyFilter,
    fc.array(tie('node'), { maxLength: 3 }).map((parts): Case => ({
      where: { AND: parts.map(({ where }) => where) },
      passes: (row) => parts.every(({ passes }) => passes(row)),
    })),
    fc.array(tie('node'), { maxLength: 3 }).map((parts): Case => ({
      where: { OR: parts.map(({ where }) => where) },
      passes: (row) => parts.some(({ passes }) => passes(row)),
    })),
    fc.array(tie('node'), { minLength: 1, maxLength: 2 }).map((parts): Case => ({
      where: { NOT: parts.map(({ where }) => where) },
      passes: (row) => !parts.some(({ passes }) => passes(row)),
    })),
    fc.tuple(usualFilter, usualFilter).map(([a, b]): Case => ({
      where: { ...a.where, AND: [b.where] },
      passes: (row) => a.passes(row) && b.passes(row),
    })),
  ),
})).node

const order = fc.option(fc.tuple(fc.constantFrom(...fields), fc.constantFrom('asc', 'desc')), { nil: null })

test('lists, counts and groups are those of the whole set of records, for any condition and order', async () => {
  await fc.assert(
    fc.asyncProperty(
      condition,
      order,
      fc.option(fc.integer({ min: -20, max: 80 }), { nil: undefined }),
      fc.nat(10),
      fc.subarray(['schemaId', 'attester', 'revoked', 'time']),
      fc.option(fc.constantFrom(...attestations.map(({ id }) => id)), { nil: undefined }),
      async ({ where, passes }, sorted, take, skip, distinct, cursor) => {
        const document = `query($where: AttestationWhereInput, $orderBy: [AttestationOrderByWithRelationInput!], $take: Int, $skip: Int, $distinct: [AttestationScalarFieldEnum!], $cursor: AttestationWhereUniqueInput) {
          attestations(where: $where, orderBy: $orderBy, take: $take, skip: $skip, distinct: $distinct, cursor: $cursor) { id }
          aggregateAttestation(where: $where) { _count { _all } }
          groupByAttestation(by: [schemaId], where: $where, orderBy: [{schemaId: asc}]) { schemaId _count { id } }
          recipients: groupByAttestation(by: [recipient], where: $where, orderBy: [{recipient: desc}], having: {recipient: {_count: {gt: 1}}}) { recipient _count { _all } }
          largest: groupByAttestation(by: [attester], where: $where, orderBy: [{_count: {attester: desc}}], take: 2, skip: 1) { _count { attester } }
        }`
        const [field, direction] = sorted ?? []
        const orderBy = field === undefined ? undefined : { [field]: direction }
        const { data, errors } = await ask(document, {
          where,
          orderBy,
          take,
          skip,
          distinct,
          cursor: cursor === undefined ? undefined : { id: cursor },
        })
        expect(errors).toBeUndefined()
        const rows = attestations.filter(passes)
        const schemaIds = [...new Set(rows.map(({ schemaId }) => String(schemaId)))].sort(compareTexts)
        expect(data).toEqual({
          attestations: expectedList(passes, field, direction === 'desc', { take, skip, distinct, cursor }),
          aggregateAttestation: { _count: { _all: rows.length } },
          groupByAttestation: schemaIds.map((schemaId) => ({
            schemaId,
            _count: { id: rows.filter((row) => row['schemaId'] === schemaId).length },
          })),
          recipients: countsOf(rows, 'recipient')
            .filter(([, count]) => count > 1)
            .sort(([a], [b]) => compareTexts(b, a))
            .map(([recipient, count]) => ({ recipient, _count: { _all: count } })),
          largest: countsOf(rows, 'attester')
            .sort(([, a], [, b]) => b - a)
            .slice(1, 3)
            .map(([, count]) => ({ _count: { attester: count } })),
        })
      },
    ),
    { numRuns: 400 },
  )
})

test('a record that is named by its id stands before or behind a cursor of the same time, as on the chain', async () => {
  const document = `query($cursor: String, $wanted: String) {
    attestations(where: { id: { equals: $wanted } }, cursor: { id: $cursor }) { id }
  }`
  const pairs = attestations.flatMap((one, index) =>
    attestations
      .map((other, place) => ({ cursor: one['id'], wanted: other['id'], isBehind: place >= index, other }))
      .filter(({ other, cursor, wanted }) => other['time'] === one['time'] && cursor !== wanted)
      .slice(0, 2),
  )
  expect(new Set(pairs.map(({ isBehind }) => isBehind))).toEqual(new Set([true, false]))
  for (const { cursor, wanted, isBehind } of pairs) {
    const { data } = await ask(document, { cursor, wanted })
    expect(data).toEqual({ attestations: isBehind ? [{ id: wanted }] : [] })
  }
})

function countsOf(rows: readonly EasRow[], field: string): [value: string, count: number][] {
  const values = rows.map((row) => String(row[field]))
  return [...new Set(values)].map((value) => [value, values.filter((each) => each === value).length])
}

test('the creator of a schema is the sender of its transaction where that is known', async () => {
  const { data } = await ask('{ schemata { id creator } }')
  const { schemata } = data as unknown as { schemata: { id: string; creator: string }[] }
  const creators = new Set(schemata.map(({ creator }) => creator))
  expect(creators).toContain(checksumAddress(schemaSender))
  for (const creator of creators) {
    const query = 'query($creator: String) { schemata(where: {creator: {equals: $creator}}) { id creator } }'
    const expected = schemata.filter((schema) => schema.creator === creator)
    expect((await ask(query, { creator })).data).toEqual({ schemata: expected })
  }
})

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1
}

interface Part {
  readonly take: number | undefined
  readonly skip: number
  readonly distinct: readonly string[]
  readonly cursor: unknown
}

function expectedList(
  passes: (row: EasRow) => boolean,
  field: string | undefined,
  isDescending: boolean,
  { take, skip, distinct, cursor }: Part,
): unknown[] {
  const isByTime = field === 'time' || field === 'timeCreated'
  // Records of equal values stand newest first; by time, they stand as on the chain, in the direction of the order.
  let rows = [...attestations]
  if (isByTime && !isDescending) rows.reverse()
  if (field !== undefined && !isByTime) {
    rows.sort((a, b) => {
      const [x = '', y = ''] = [a[field], b[field]]
      return (x === y ? 0 : x < y ? -1 : 1) * (isDescending ? -1 : 1)
    })
  }
  const isFromEnd = take !== undefined && take < 0
  if (isFromEnd) rows.reverse()
  // If the order is not that of the chain, the cursor has to pass the filter itself.
  if (cursor !== undefined && (field === undefined || isByTime))
    rows = rows.slice(rows.findIndex(({ id }) => id === cursor))
  rows = rows.filter(passes)
  if (cursor !== undefined && field !== undefined && !isByTime) {
    const start = rows.findIndex(({ id }) => id === cursor)
    rows = start === -1 ? [] : rows.slice(start)
  }
  if (distinct.length > 0) {
    const keyOf = (row: EasRow) => JSON.stringify(distinct.map((name) => row[name]))
    rows = rows.filter((row, index) => rows.findIndex((each) => keyOf(each) === keyOf(row)) === index)
  }
  const count = take === undefined || take === 0 ? 100 : Math.abs(take)
  const page = rows.slice(skip, skip + count).map(({ id }) => ({ id }))
  return isFromEnd ? page.reverse() : page
}
