import { parseDay } from './fillDays.ts'

/** Days in the form of `<input type="date">`, `2024-06-10`, and times in Unix seconds. Days are UTC days. */

export function dayOfSeconds(seconds: number | undefined): string | undefined {
  if (seconds === undefined || seconds > 253_402_300_799) return undefined
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** The first second of a day; undefined for an invalid day. */
export function startOfDayInput(day: string | undefined): number | undefined {
  if (day === undefined) return undefined
  const seconds = parseDay(day)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

const daySeconds = 86_400

/**
 * A list that ends before a time is shown as ending with the day before: readers expect the last day to be included.
 */
export function lastDayBefore(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : dayOfSeconds(Math.max(0, seconds - 1))
}

export function endOfDayInput(day: string | undefined): number | undefined {
  const start = startOfDayInput(day)
  return start === undefined ? undefined : start + daySeconds
}
