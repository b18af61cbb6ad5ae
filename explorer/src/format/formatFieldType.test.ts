import { expect, test } from 'vitest'
import { formatFieldType } from './formatFieldType.ts'

test('a nested type is written like a tuple, at any depth', () => {
  const nested = [
    { name: 'city', type: 'string' },
    { name: 'at', type: [{ name: 'latitude', type: 'int32' }] },
  ]
  expect(formatFieldType(JSON.stringify(nested))).toBe('(string city, (int32 latitude) at)')
})

test('any other type stays as it is written', () => {
  for (const type of ['uint256', '(uint8 a)[]', '[broken', '[1]', '[]x', ''])
    expect(formatFieldType(type)).toBe(type)
})
