/**
 * Header values that answers share. Reads are open to every origin (decisions.md, "Base path, CORS, caching"): an answer
 * never depends on who asks, so there is nothing that a foreign page could gain by a visitor's browser.
 */

export const jsonContentType = 'application/json; charset=utf-8'

/** Clients may keep an answer, and ask each time whether it still holds: the index moves with every block. */
export const revalidateCacheControl = 'no-cache'

/**
 * Sent with every answer. `ETag` and `Retry-After` are hidden from scripts of other origins unless exposed; no browser may
 * take an answer for another type than it says.
 */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'etag, link, retry-after, allow, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
  'x-content-type-options': 'nosniff',
} as const

/**
 * Headers of a page for browsers: it runs and loads what `policy` lists, stands in no frame of another page, and tells no other
 * site where its visitor came from.
 */
export function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** What a preflight may be told for a day: the keys that clients of other services send are accepted and ignored. */
export const preflightHeaders = {
  'access-control-allow-headers': 'content-type, x-api-key, x-sign-api-key',
  'access-control-max-age': '86400',
} as const
