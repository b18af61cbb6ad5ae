import { expect, test } from 'vitest'
import { formatDay } from './time.ts'

test.each([
  [0, '1970-01-01'],
  [19_677, '2023-11-16'],
  [-1, '1969-12-31'],
  [2_932_896, '9999-12-31'],
  [2_932_897, '10000-01-01'],
  // The day of the greatest timestamp, beyond the last day of a `Date`.
  [Math.floor(Number.MAX_SAFE_INTEGER / 86_400), '285428751-11-12'],
])('day %i is %s', (day, date) => {
  expect(formatDay(day)).toBe(date)
})
