import { describe, expect, test } from 'vitest'
import {
  checkFieldValue,
  fieldParameter,
  fieldPath,
  fieldQuery,
  filteredFields,
  readCountedPath,
  readFieldFilters,
} from './fieldFilters.ts'

test('filters are read from the parameters of a URL, and anything else is left out', () => {
  const raw = {
    'field[level][gte]': '2',
    'field[level]': '7',
    'field[a\\.b\\]]': 'x',
    'field[]': 'unnamed',
    'field[level][in]': '["1"]',
    'field[a[b]': 'x',
    'field[empty]': '',
    'field[number]': 7,
    fields: 'detail',
    page: '2',
  }
  const filters = readFieldFilters(raw)
  expect(filters.map(({ path, operator, value }) => [path, operator, value])).toEqual([
    ['level', 'gte', '2'],
    ['level', 'equals', '7'],
    ['a\\.b\\]', 'equals', 'x'],
    ['', 'equals', 'unnamed'],
  ])
  expect(fieldQuery(filters)).toEqual({
    level: { gte: '2', in: ['7'] },
    'a\\.b\\]': { in: ['x'] },
    '': { in: ['unnamed'] },
  })
})

test('a name of any form has a parameter that is read back', () => {
  for (const name of ['level', 'a.b', 'c[d]', 'e\\f', '愛 💛', '__proto__']) {
    const parameter = fieldParameter(fieldPath(name), 'equals')
    expect(readFieldFilters({ [parameter]: 'x' })).toMatchObject([{ path: fieldPath(name), parameter }])
  }
})

describe('a field', () => {
  test.each([
    ['uint8', 'integer'],
    ['int256[]', 'integer'],
    ['bool', 'boolean'],
    ['string[2][]', 'text'],
    ['address', 'bytes'],
    [' bytes32 ', 'bytes'],
  ])('of the type %s is filtered as %s', (type, kind) => {
    expect(filteredFields({ name: 'x', type }, 0)).toMatchObject([{ path: 'x', kind }])
  })

  test('of another type is not filtered, and one without a name is', () => {
    expect(filteredFields({ name: 'x', type: 'integer' }, 0)).toEqual([])
    expect(filteredFields({ name: '', type: 'string' }, 2)).toMatchObject([{ path: '', label: '#3' }])
    expect(readCountedPath(fieldParameter('', 'equals'))).toBe('')
    expect(readCountedPath('field[x][gte]')).toBeUndefined()
    expect(readCountedPath('x')).toBeUndefined()
  })

  test.each([
    ['(string name, uint8 level)[]', ['p.name text', 'p.level integer']],
    [
      'tuple(uint8, (bytes32 id, string[] memory tags)[2] inner) ',
      ['p. integer', 'p.inner.id bytes', 'p.inner.tags text'],
    ],
    [
      '[{"name":"a.b","type":"string"},{"name":"in","type":[{"name":"x","type":"bool"}]}]',
      ['p.a\\.b text', 'p.in.x boolean'],
    ],
    ['(uint8 a, number b)', ['p.a integer']],
    ['(', []],
    ['()', []],
  ])('of the type %s is filtered by its members', (type, expected) => {
    const fields = filteredFields({ name: 'p', type }, 0)
    expect(fields.map(({ path, kind }) => `${path} ${kind}`)).toEqual(expected)
  })

  test('says what is wrong with a value', () => {
    expect(checkFieldValue('integer', '-12')).toBeUndefined()
    expect(checkFieldValue('integer', '1e3')).toMatch(/whole number/)
    expect(checkFieldValue('bytes', '0xA')).toMatch(/hexadecimal/)
    expect(checkFieldValue('text', '')).toBeUndefined()
  })
})
