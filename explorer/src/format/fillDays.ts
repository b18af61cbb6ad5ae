const daySeconds = 86_400

/** The first second of the UTC day of a moment. Unix seconds. */
export function startOfDay(seconds: number): number {
  return Math.floor(seconds / daySeconds) * daySeconds
}

/** The first second of a day that is written `2024-06-10`. */
export function parseDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000
}

/** Days from one to another, both included, by their first seconds. */
export function daysBetween(first: number, last: number): readonly number[] {
  const count = Math.max(0, Math.round((last - first) / daySeconds) + 1)
  return Array.from({ length: count }, (_, index) => first + index * daySeconds)
}

/** The counts of given days; 0 for days that the series leaves out. */
export function countsOn(days: readonly number[], counts: ReadonlyMap<number, number>): readonly number[] {
  return days.map((day) => counts.get(day) ?? 0)
}

/** The `count` days up to the day of a time. */
export function lastDays(count: number, nowSeconds: number): readonly number[] {
  const last = startOfDay(nowSeconds)
  return daysBetween(last - (count - 1) * daySeconds, last)
}

/** The first seconds of `count` UTC months, ascending; the last one is the month after that of a time. */
export function lastMonths(count: number, nowSeconds: number): readonly number[] {
  const now = new Date(nowSeconds * 1000)
  return Array.from(
    { length: count },
    (_, index) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2 - count + index) / 1000,
  )
}
