/** Seconds and milliseconds since the Unix epoch must not be mixed up: the API uses seconds, `syncAt` milliseconds. */

declare const unit: unique symbol

/** Seconds since the Unix epoch, as block headers carry them. */
export type UnixSeconds = number & { readonly [unit]: 's' }

/** Milliseconds since the Unix epoch, as from `Date.now()`. */
export type UnixMilliseconds = number & { readonly [unit]: 'ms' }

export function unixSeconds(value: number): UnixSeconds {
  return value as UnixSeconds
}

export function unixMilliseconds(value: number): UnixMilliseconds {
  return value as UnixMilliseconds
}

/** The clock of the machine. Injected so that a test can hold time still. */
export function currentTimeMs(): UnixMilliseconds {
  return unixMilliseconds(Date.now())
}

/** The clock hour of a moment, ⌊seconds / 3600⌋: the unit in which trending is counted. */
export function clockHour(time: UnixSeconds): number {
  return Math.floor(time / 3600)
}

export const daySeconds = 86_400

/** The UTC day that a time lies in, counted from 1970. */
export function clockDay(time: UnixSeconds): number {
  return Math.floor(time / daySeconds)
}

/** The Gregorian calendar repeats itself after as many days. */
const cycleDays = 146_097
const cycleYears = 400

/**
 * The date of a UTC day counted from 1970, `YYYY-MM-DD`; of years beyond 9999, which clocks of chains may tell too,
 * with more digits.
 */
export function formatDay(day: number): string {
  const cycle = Math.floor(day / cycleDays)
  // `Date` ends in the year 275760, before the last second that a timestamp can name.
  const [year = '', month = '', date = ''] = new Date((day - cycle * cycleDays) * daySeconds * 1000)
    .toISOString()
    .slice(0, 10)
    .split('-')
  return `${Number(year) + cycle * cycleYears}-${month}-${date}`
}

/** A time as sentences have it, `2026-11-23 00:40:54 UTC`, for every second that a uint64 can name. */
export function formatMoment(seconds: bigint): string {
  const day = seconds / BigInt(daySeconds)
  const ofDay = Number(seconds % BigInt(daySeconds))
  const [hours, minutes, rest] = [ofDay / 3600, (ofDay / 60) % 60, ofDay % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  )
  return `${formatDay(Number(day))} ${hours}:${minutes}:${rest} UTC`
}
