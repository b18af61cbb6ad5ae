import { expect, test } from 'vitest'
import {
  formatAbsoluteTime,
  formatDay,
  formatDayOfYear,
  formatLongDuration,
  formatMachineTime,
  formatRelativeTime,
  formatShortDuration,
} from './formatTime.ts'

const now = 1_795_262_952

test.each([
  [now, 'just now'],
  [now - 5, '5 seconds ago'],
  [now - 60, '1 minute ago'],
  [now - 86_399, '23 hours ago'],
  [now + 2 * 86_400, 'in 2 days'],
  [now + 2_000 * 31_557_600, 'in 2,000 years'],
  [2 ** 64, 'in the far future'],
])('%d is %s', (seconds, words) => {
  expect(formatRelativeTime(seconds, now)).toBe(words)
})

test('writes moments in UTC, and says of others that no calendar holds them', () => {
  expect(formatAbsoluteTime(0)).toBe('1 Jan 1970, 00:00:00 UTC')
  expect(formatAbsoluteTime(now)).toBe('21 Nov 2026, 12:09:12 UTC')
  expect([formatDay(now), formatDayOfYear(now)]).toEqual(['21 Nov 2026', '21 Nov'])
  expect(formatDay(Date.UTC(2026, 8, 1) / 1000)).toBe('1 Sep 2026')
  expect(formatAbsoluteTime(2 ** 64)).toBe('a time beyond all calendars')
  expect(formatMachineTime(2 ** 64)).toBeUndefined()
})

test.each([
  [60, '21 Nov 2026, 13:09:12 UTC+1'],
  [330, '21 Nov 2026, 17:39:12 UTC+5:30'],
  [-210, '21 Nov 2026, 08:39:12 UTC-3:30'],
  [840, '22 Nov 2026, 02:09:12 UTC+14'],
])('writes a moment in a zone of %d minutes', (offsetMinutes, words) => {
  expect(formatAbsoluteTime(now, offsetMinutes)).toBe(words)
})

test('a zone takes no moment out of the calendar that UTC holds, but says so', () => {
  expect(formatAbsoluteTime(8_640_000_000_000, 60)).toBe('a time beyond all calendars')
})

test('names one and many of a unit', () => {
  expect([formatLongDuration(3600), formatLongDuration(7200), formatLongDuration(0)]).toEqual([
    '1 hour',
    '2 hours',
    '0 seconds',
  ])
})

test('abbreviates units of less than a day for narrow places', () => {
  expect([59, 3_060, 86_399, 86_400, 6 * 86_400].map(formatShortDuration)).toEqual([
    '59 s',
    '51 min',
    '23 h',
    '1 day',
    '6 days',
  ])
})
