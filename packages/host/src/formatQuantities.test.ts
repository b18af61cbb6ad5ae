import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatColumns, formatCount, formatDuration } from './formatQuantities.ts'

describe('a duration', () => {
  test.each([
    [0, '0 s'],
    [-3, '0 s'],
    [59.4, '59 s'],
    [59.6, '1 min'],
    [90, '2 min'],
    [3599, '1 h'],
    [3600, '1 h'],
    [7800, '2 h 10 min'],
    [86_399, '1 d'],
    [273_600, '3 d 4 h'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })
})

describe('a count', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [5_658_228, '5,658,228'],
  ])('%d is %s', (value, text) => {
    expect(formatCount(value)).toBe(text)
  })

  test('loses no digit', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (value) => {
        expect(Number(formatCount(value).replaceAll(',', ''))).toBe(value)
      }),
    )
  })
})

test('columns are as wide as their widest cell', () => {
  const rows = [
    ['a', '1', 'x'],
    ['bcd', '22', ''],
  ]
  expect(formatColumns(rows, [false, true, false])).toEqual(['a     1  x', 'bcd  22'])
})
