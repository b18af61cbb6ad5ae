/** Longest delay that a server may ask for. More than a day is taken for a mistake. */
export const retryAfterMaxMs = 86_400_000

/**
 * How long a `Retry-After` header asks to wait, in milliseconds, at most a day; null if it is missing or unreadable. The
 * header holds a number of seconds or an HTTP date (RFC 9110, 10.2.3). Of several headers the first counts.
 * @param nowMs the time of the machine, which a date is compared with.
 */
export function parseRetryAfter(
  header: string | readonly string[] | null | undefined,
  nowMs: number,
): number | null {
  const text = (typeof header === 'object' ? header?.[0] : header)?.trim() ?? ''
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Math.min(Number(text) * 1000, retryAfterMaxMs)
  // `Date.parse` reads nearly anything; a date in a header holds letters.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - nowMs), retryAfterMaxMs)
}
