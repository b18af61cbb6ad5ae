import { expect, test } from 'vitest'
import { allOf, everything, isOneOf, type Condition, type FieldTest } from './condition.ts'
import { planReads, type ReadRules } from './planReads.ts'

interface Filter {
  readonly color: string | null
  readonly shade: string | null
  readonly from: number | null
  readonly before: number | null
}

const every: Filter = { color: null, shade: null, from: null, before: null }
const rules: ReadRules<null, Filter, string> = {
  every: () => every,
  idOf: (_context, value) => (value === 'nonsense' ? null : String(value)),
  fields: {
    color: (_context, value) => ({ color: String(value) }),
    shade: (_context, value) => ({ shade: String(value) }),
  },
  loose: ['shade'],
  absent: { color: 'none' },
  times: [{ fields: ['time'], from: 'from', before: 'before', none: 0, latest: 100 }],
}
const plan = async (condition: Condition) => {
  const { filters, ids, rest } = await planReads(rules, null, condition)
  return { filters: filters.map((filter) => ({ ...filter })), ids: [...ids], rest }
}
const time = (test: Pick<FieldTest & { readonly value: number }, 'kind' | 'value'>): Condition => ({
  kind: 'field',
  field: 'time',
  test: { ...test, folds: false } as FieldTest,
})

test('rows are held against the parts of a condition that no filter says', async () => {
  const other = isOneOf('other', ['x'])
  expect(await plan(isOneOf('color', ['red']))).toEqual({
    filters: [{ ...every, color: 'red' }],
    ids: [],
    rest: everything,
  })
  expect((await plan(allOf(isOneOf('color', ['red']), allOf(other)))).rest).toEqual(allOf(allOf(other)))
  const loose = isOneOf('shade', ['dark'])
  expect(await plan(loose)).toEqual({ filters: [{ ...every, shade: 'dark' }], ids: [], rest: loose })
  const either: Condition = { kind: 'any', of: [isOneOf('color', ['red']), other] }
  expect(await plan(either)).toEqual({ filters: [{ ...every, color: 'red' }, every], ids: [], rest: either })
  const known = isOneOf('id', ['a', 'nonsense'])
  expect(await plan(known)).toEqual({ filters: [], ids: ['a'], rest: known })
  const none = isOneOf('color', ['red', 'none'])
  expect(await plan(none)).toEqual({ filters: [every], ids: [], rest: none })
})

test('a time is bounded where rows without it do not pass', async () => {
  const later = time({ kind: 'gt', value: 7 })
  const earlier = time({ kind: 'lte', value: 9 })
  expect(await plan(allOf(later, earlier))).toEqual({
    filters: [{ ...every, from: 8, before: 10 }],
    ids: [],
    rest: everything,
  })
  expect(await plan(earlier)).toEqual({ filters: [every], ids: [], rest: earlier })
  // 100 stands for all later times.
  expect(await plan(isOneOf('time', [100]))).toMatchObject({
    filters: [{ ...every, from: 100 }],
    rest: everything,
  })
  expect((await plan(time({ kind: 'gt', value: 100 }))).filters).toEqual([])
})
