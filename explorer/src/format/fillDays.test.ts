import { expect, test } from 'vitest'
import { countsOn, daysBetween, lastDays, parseDay } from './fillDays.ts'
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
