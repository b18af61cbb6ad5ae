import { once } from './once.ts'

const units = [
  { name: 'year', seconds: 31_557_600 },
  { name: 'month', seconds: 2_629_800 },
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const

const relative = once(() => new Intl.RelativeTimeFormat('en', { numeric: 'always' }))
const absolute = once(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
)
const day = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }))

/** Seconds that a `Date` can hold, some 275,000 years; uint64 values reach far beyond. */
const dateSecondsMax = 8_640_000_000_000

/** `3 minutes ago`, `in 2 days`, `just now`. Both in Unix seconds. */
export function formatRelativeTime(seconds: number, nowSeconds: number): string {
  const difference = seconds - nowSeconds
  if (Math.abs(difference) < 3) return 'just now'
  if (Math.abs(seconds) > dateSecondsMax) return 'in the far future'
  const { name, seconds: length } = unitOf(Math.abs(difference))
  return relative().format(Math.trunc(difference / length), name)
}

/** `3 minutes`, `1 day`: the same for running text. */
export function formatLongDuration(seconds: number): string {
  const { name, seconds: length } = unitOf(seconds)
  const count = Math.trunc(seconds / length)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** `21 Nov 2026, 12:00:05 UTC`; words for a time beyond any calendar. */
export function formatAbsoluteTime(seconds: number): string {
  if (!isDate(seconds)) return 'a time beyond all calendars'
  return `${absolute().format(seconds * 1000)} UTC`
}

/** `21 Nov 2026`, in UTC. */
export function formatDay(seconds: number): string {
  return isDate(seconds) ? day().format(seconds * 1000) : formatAbsoluteTime(seconds)
}

/** For `<time dateTime>`; undefined for a time beyond any calendar. */
export function formatMachineTime(seconds: number): string | undefined {
  return isDate(seconds) ? new Date(seconds * 1000).toISOString() : undefined
}

function isDate(seconds: number): boolean {
  return Number.isFinite(seconds) && Math.abs(seconds) <= dateSecondsMax
}

function unitOf(seconds: number): (typeof units)[number] {
  return units.find((unit) => seconds >= unit.seconds) ?? units[5]
}
