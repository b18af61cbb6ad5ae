import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatQuantity, parseQuantity } from './parseQuantity.ts'

const seed = Number(process.env['SEED'] ?? Date.now())

test(`every quantity is read back, in both forms (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect(parseQuantity(formatQuantity(value), Number.MAX_SAFE_INTEGER)).toBe(value)
      expect(
        parseQuantity(formatQuantity(value).toUpperCase().replace('0X', '0x'), Number.MAX_SAFE_INTEGER),
      ).toBe(value)
      expect(parseQuantity(value, Number.MAX_SAFE_INTEGER)).toBe(value)
    }),
    { seed },
  )
})

test.each([
  undefined,
  null,
  '',
  '0x',
  '12',
  '0xg',
  '-0x1',
  '0x 1',
  '0x1.0',
  -1,
  1.5,
  Number.NaN,
  Infinity,
  {},
  [],
  true,
])('%j is no quantity', (value) => {
  expect(parseQuantity(value, Number.MAX_SAFE_INTEGER)).toBeNull()
})

test('what lies beyond the bound is refused, never rounded', () => {
  expect(parseQuantity('0xff', 255)).toBe(255)
  expect(parseQuantity('0x100', 255)).toBeNull()
  expect(parseQuantity(256, 255)).toBeNull()
  expect(parseQuantity('0x20000000000000', Number.MAX_SAFE_INTEGER)).toBeNull()
  expect(parseQuantity(`0x${'f'.repeat(64)}`, Number.MAX_SAFE_INTEGER)).toBeNull()
  expect(parseQuantity(`0x${'0'.repeat(60)}01`, 1)).toBe(1)
})
