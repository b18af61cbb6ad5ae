import { expect, test } from 'vitest'
import { countsOn, daysBetween, lastDays, parseDay, lastMonths } from './fillDays.ts'
import { endOfDayInput, lastDayBefore, startOfDayInput } from './dayInput.ts'

test('days follow one another without gaps, and those that a series leaves out have nothing', () => {
  const days = daysBetween(parseDay('2024-02-28'), parseDay('2024-03-01'))
  expect(countsOn(days, new Map([[parseDay('2024-02-29'), 7]]))).toEqual([0, 7, 0])
})

test('the last days end with that of the moment', () => {
  expect(lastDays(2, parseDay('2024-03-01') + 5)).toEqual([parseDay('2024-02-29'), parseDay('2024-03-01')])
})

test('a last day is counted in, and comes back as it was chosen', () => {
  const before = endOfDayInput('2024-02-29')
  expect(before).toBe(parseDay('2024-03-01'))
  expect(lastDayBefore(before)).toBe('2024-02-29')
  expect(startOfDayInput('nonsense')).toBeUndefined()
})

test('months end with the one after the present, over the turn of a year', () => {
  const first = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000
  expect(lastMonths(4, Date.parse('2026-12-31T23:59:59Z') / 1000)).toEqual(
    ['2026-10-01', '2026-11-01', '2026-12-01', '2027-01-01'].map(first),
  )
})
