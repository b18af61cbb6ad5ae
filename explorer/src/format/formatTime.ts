import { formatQuantity } from './formatCount.ts'

const units = [
  { name: 'year', seconds: 31_557_600 },
  { name: 'month', seconds: 2_629_800 },
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const

/** Seconds that a `Date` can hold, some 275,000 years; uint64 values reach far beyond. */
const dateSecondsMax = 8_640_000_000_000

/** `3 minutes ago`, `in 2 days`, `just now`. Both in Unix seconds. */
export function formatRelativeTime(seconds: number, nowSeconds: number): string {
  const difference = seconds - nowSeconds
  if (Math.abs(difference) < 3) return 'just now'
  if (Math.abs(seconds) > dateSecondsMax) return 'in the far future'
  const distance = formatLongDuration(Math.abs(difference))
  return difference < 0 ? `${distance} ago` : `in ${distance}`
}

/** `3 minutes`, `1 day`: the same for running text. */
export function formatLongDuration(seconds: number): string {
  const { name, seconds: length } = units.find((unit) => seconds >= unit.seconds) ?? units[5]
  return formatQuantity(Math.trunc(seconds / length), name)
}

const shortNames: Readonly<Record<string, string>> = { hour: 'h', minute: 'min', second: 's' }

/** `3 min`, `1 day`: the same for a narrow place. */
export function formatShortDuration(seconds: number): string {
  const { name, seconds: length } = units.find((unit) => seconds >= unit.seconds) ?? units[5]
  const count = Math.trunc(seconds / length)
  const short = shortNames[name]
  return short === undefined ? formatQuantity(count, name) : `${count} ${short}`
}

/**
 * `21 Nov 2026, 12:00:05 UTC`, or `21 Nov 2026, 17:30:05 UTC+5:30`; words for a time beyond any calendar.
 * @param offsetMinutes of the zone, positive to the east.
 */
export function formatAbsoluteTime(seconds: number, offsetMinutes = 0): string {
  const shifted = seconds + Math.round(offsetMinutes) * 60
  if (!isDate(shifted)) return 'a time beyond all calendars'
  const { dayOfYear, year, time } = partsOf(shifted)
  return `${dayOfYear} ${year}, ${time} ${zoneName(Math.round(offsetMinutes))}`
}

function zoneName(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC'
  const [hours, minutes] = [Math.trunc(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60]
  const rest = minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`
  return `UTC${offsetMinutes < 0 ? '-' : '+'}${hours}${rest}`
}

/** `21 Nov 2026`, in UTC. */
export function formatDay(seconds: number): string {
  if (!isDate(seconds)) return formatAbsoluteTime(seconds)
  const { dayOfYear, year } = partsOf(seconds)
  return `${dayOfYear} ${year}`
}

/** `21 Nov`, in UTC, for an axis. */
export function formatDayOfYear(seconds: number): string {
  return partsOf(seconds).dayOfYear
}

/** `Nov 2026`, in UTC. */
export function formatMonth(seconds: number): string {
  const { dayOfYear, year } = partsOf(seconds)
  return `${dayOfYear.replace(/^\d+ /, '')} ${year}`
}

/** For `<time dateTime>`; undefined for a time beyond any calendar. */
export function formatMachineTime(seconds: number): string | undefined {
  return isDate(seconds) ? new Date(seconds * 1000).toISOString() : undefined
}

function isDate(seconds: number): boolean {
  return Number.isFinite(seconds) && Math.abs(seconds) <= dateSecondsMax
}

/** ECMAScript lays down the form `Sat, 21 Nov 2026 12:00:05 GMT`. A formatter of `Intl` takes a phone 10 ms to make. */
function partsOf(seconds: number): {
  readonly dayOfYear: string
  readonly year: string
  readonly time: string
} {
  const [, day = '', month = '', year = '', time = ''] = new Date(seconds * 1000).toUTCString().split(' ')
  return { dayOfYear: `${Number(day)} ${month}`, year, time }
}
