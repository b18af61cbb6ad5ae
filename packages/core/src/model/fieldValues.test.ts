import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NamedPayloadValue } from './decodedPayload.ts'
import type { FieldOperator } from './fieldCondition.ts'
import {
  canonicalValue,
  fieldKindOf,
  fieldPathLengthMax,
  fieldPathText,
  listFieldLeaves,
  matchesField,
  parseFieldPath,
} from './fieldValues.ts'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'

describe('the leaves of a payload', () => {
  test('are its values with their kinds', () => {
    expect(
      listFieldLeaves([
        { name: 'level', type: 'uint8', value: '2' },
        { name: 'debt', type: 'int256', value: '-1' },
        { name: 'passed', type: 'bool', value: true },
        { name: 'city', type: ' string', value: 'Lisbon' },
        { name: 'who', type: 'address', value: address },
        { name: 'hash', type: 'ipfsHash', value: '0x00' },
      ]),
    ).toEqual([
      { path: ['level'], kind: 'integer', value: '2' },
      { path: ['debt'], kind: 'integer', value: '-1' },
      { path: ['passed'], kind: 'boolean', value: 'true' },
      { path: ['city'], kind: 'text', value: 'Lisbon' },
      { path: ['who'], kind: 'bytes', value: address },
      { path: ['hash'], kind: 'bytes', value: '0x00' },
    ])
  })

  test('stand at the path of their tuple, and arrays add no name', () => {
    const person = (name: string, ages: readonly string[]): NamedPayloadValue[] => [
      { name: 'name', type: 'string', value: name },
      { name: 'ages', type: 'uint8[]', value: ages },
    ]
    const value = [person('Ada', ['1', '2']), person('Ben', ['2', '3'])]
    const leaves = listFieldLeaves([{ name: 'people', type: '(string name, uint8[] ages)[]', value }])
    expect(leaves.map(({ path, kind, value: text }) => `${path.join('/')} ${kind} ${text}`)).toEqual([
      'people/name text Ada',
      'people/ages integer 1',
      'people/ages integer 2',
      'people/name text Ben',
      'people/ages integer 3',
    ])
  })

  test('leave out empty arrays', () => {
    expect(listFieldLeaves([{ name: 'a', type: 'string[]', value: [] }])).toEqual([])
  })

  test('hold the same value once a path, and again where path or kind differ', () => {
    const leaves = listFieldLeaves([
      { name: 'a', type: 'string', value: '7' },
      { name: 'a', type: 'uint8', value: '7' },
      { name: 'a', type: 'uint16', value: '7' },
      { name: 'atext 7', type: 'string', value: '7' },
      { name: '', type: 'string', value: '7' },
    ])
    expect(leaves).toHaveLength(4)
  })

  test('that are hidden behind names beyond any bound are left out', () => {
    const long = 'n'.repeat(fieldPathLengthMax / 2)
    const member = (name: string): NamedPayloadValue => ({ name, type: 'uint8', value: '1' })
    const value = [member(long), member('b')]
    const leaves = listFieldLeaves([{ name: long, type: 'tuple', value }])
    expect(leaves.map(({ path }) => path)).toEqual([[long, 'b']])
  })
})

test.each([
  ['integer', '007', '7'],
  ['integer', '-007', '-7'],
  ['integer', '-0', '0'],
  ['integer', '000', '0'],
  ['integer', '115792089237316195423570985008687907853269984665640564039457584007913129639935', null],
  ['integer', '1e3', undefined],
  ['integer', '0x7', undefined],
  ['integer', ' 7', undefined],
  ['integer', '', undefined],
  ['boolean', 'true', null],
  ['boolean', 'TRUE', undefined],
  ['boolean', '1', undefined],
  ['bytes', address, address.toLowerCase()],
  ['bytes', '0XAB', '0xab'],
  ['bytes', '0x', null],
  ['bytes', '0x1', undefined],
  ['text', ' Ünïcode\0 ', null],
  ['text', '', null],
] as const)('the canonical %s of %j is %j', (kind, text, canonical) => {
  const expected = canonical === undefined ? null : (canonical ?? text)
  expect(canonicalValue(kind, text)).toBe(expected)
})

test.each([
  ['uint256', 'integer'],
  ['int8[]', 'integer'],
  ['bool', 'boolean'],
  ['string[2][]', 'text'],
  ['bytes32', 'bytes'],
  ['function', 'bytes'],
] as const)('%s is %s', (type, kind) => expect(fieldKindOf(type)).toBe(kind))

describe('a path', () => {
  test('is read back from its text', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', '[', ']', '\\', 'a') }),
    )
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (path) => {
        expect(parseFieldPath(fieldPathText(path))).toEqual(path)
      }),
    )
    expect(fieldPathText(['person', 'a.b[0]\\'])).toBe('person.a\\.b\\[0\\]\\\\')
    expect(parseFieldPath('')).toEqual([''])
  })

  test.each(['a[', 'a]', 'a\\', 'a\\b', '\\\\\\', 'n'.repeat(fieldPathLengthMax + 1)])(
    'is not %j',
    (text) => {
      expect(parseFieldPath(text)).toBeNull()
    },
  )
})

describe('a condition', () => {
  const leaves = listFieldLeaves([
    { name: 'level', type: 'uint8[]', value: ['2', '10'] },
    { name: 'who', type: 'address', value: address },
    { name: 'city', type: 'string', value: 'New York' },
    { name: 'digits', type: 'string', value: '10' },
    { name: 'person', type: 'tuple', value: [{ name: 'passed', type: 'bool', value: true }] },
  ])
  test.each([
    ['level', 'equals', ['010'], true],
    ['level', 'equals', ['1'], false],
    ['level', 'equals', ['x'], false],
    ['level', 'in', ['x', '3', '2'], true],
    ['level', 'in', ['3', '4'], false],
    ['level', 'gt', ['9'], true],
    ['level', 'gt', ['10'], false],
    ['level', 'gte', ['10'], true],
    ['level', 'lt', ['2'], false],
    ['level', 'lte', ['2'], true],
    ['level', 'lt', ['-1'], false],
    ['level', 'gt', ['x'], false],
    ['level', 'contains', ['1'], false],
    ['who', 'equals', [address.toLowerCase()], true],
    ['city', 'contains', ['w Y'], true],
    ['city', 'contains', ['york'], false],
    ['city', 'startsWith', ['New'], true],
    ['city', 'startsWith', ['York'], false],
    ['city', 'equals', ['new york'], false],
    ['digits', 'gt', ['9'], false],
    ['digits', 'equals', ['010'], false],
    ['person.passed', 'equals', ['true'], true],
    ['person', 'equals', ['true'], false],
    ['passed', 'equals', ['true'], false],
  ] as const)('%s %s %j is %s', (path, operator: FieldOperator, values, expected) => {
    expect(matchesField(leaves, { path: path.split('.'), operator, values })).toBe(expected)
  })
})
