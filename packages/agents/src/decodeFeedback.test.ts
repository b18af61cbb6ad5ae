import { expect, test } from 'vitest'
import { averageOf, formatDecimal } from './decodeFeedback.ts'

test.each([
  [1n, 0, 3, '0.333333'],
  [-2n, 0, 3, '-0.666666'],
  [1_000_000_000_000_000_001n, 18, 2, '0.5'],
  [-1n, 18, 2, '0'],
  [7n, 1, 1, '0.7'],
  [30n, 0, 3, '10'],
])(
  'an average has at most six decimals, rounded towards zero: %s / 10^%i / %i is %s',
  (digits, decimals, count, text) => {
    expect(formatDecimal(averageOf({ digits, decimals }, count))).toBe(text)
  },
)
