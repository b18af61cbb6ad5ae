import { expect, test } from 'vitest'
import { formatDay, formatMoment } from './time.ts'

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

test.each([
  [0n, '1970-01-01 00:00:00 UTC'],
  [1_795_394_454n, '2026-11-23 00:40:54 UTC'],
  [86_399n, '1970-01-01 23:59:59 UTC'],
  [2n ** 64n - 1n, '584554051223-11-09 07:00:15 UTC'],
])('second %i is %s', (seconds, moment) => {
  expect(formatMoment(seconds)).toBe(moment)
})
