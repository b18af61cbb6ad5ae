import { useSyncExternalStore } from 'react'
import { formatAbsoluteTime } from '../format/formatTime.ts'

/** The zone that moments are written in: UTC, as blocks have it, unless the reader chose the browser's. */
export type TimeZone = 'utc' | 'local'

const key = 'attestry.times'
const listeners = new Set<() => void>()
let chosen: TimeZone | null = null

function read(): TimeZone {
  try {
    return localStorage.getItem(key) === 'local' ? 'local' : 'utc'
  } catch {
    return 'utc'
  }
}

function current(): TimeZone {
  return (chosen ??= read())
}

/** Chooses the zone for this visit and the next ones. */
export function chooseTimeZone(zone: TimeZone): void {
  chosen = zone
  try {
    if (zone === 'utc') localStorage.removeItem(key)
    else localStorage.setItem(key, zone)
  } catch {
    // Storage may be forbidden; the choice holds until the page is left.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTimeZone(): TimeZone {
  return useSyncExternalStore(subscribe, current)
}

/** Writes a moment (Unix seconds) in the chosen zone. */
export function useAbsoluteTime(): (seconds: number) => string {
  return useTimeZone() === 'utc' ? formatAbsoluteTime : formatLocalTime
}

function formatLocalTime(seconds: number): string {
  // The offset of a zone changes by summer time, so it is that of the moment. It is NaN beyond any calendar.
  const offsetMinutes = -new Date(seconds * 1000).getTimezoneOffset()
  return formatAbsoluteTime(seconds, Number.isNaN(offsetMinutes) ? 0 : offsetMinutes)
}
