/** Longest delay that an endpoint may ask for. More than a day is taken for a mistake. */
const retryAfterMaxMs = 86_400_000

/**
 * How long a `Retry-After` header asks to wait, in milliseconds: a number of seconds or an HTTP date (RFC 9110,
 * 10.2.3); null where there is none or it cannot be read.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Math.min(Number(text) * 1000, retryAfterMaxMs)
  // `Date.parse` reads nearly anything; a date in a header holds letters.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - nowMs), retryAfterMaxMs)
}
