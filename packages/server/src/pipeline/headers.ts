/**
 * Header values that answers share. Reads are open to every origin (docs/api.md, "Base path, CORS, caching"): an answer
 * never depends on the client, so a foreign page gains nothing by its visitor's browser.
 */

/** Says up to which block of its chain an answer is true: `<chainId>:<number>:<hash>`. */
export const asOfHeaderName = 'x-attestry-as-of'

/** Names the chains of an answer that are behind (`freshness/createFreshness.ts`). */
export const behindHeaderName = 'x-attestry-behind'

export const jsonContentType = 'application/json; charset=utf-8'

/** Clients may cache an answer, but must revalidate it each time: the index moves with every block. */
export const revalidateCacheControl = 'no-cache'

/** Headers of answers that scripts of other origins read. Browsers hide all others but a few that are always exposed. */
const exposedHeaders = [
  'etag',
  'link',
  'location',
  'retry-after',
  'allow',
  'date',
  'content-disposition',
  'www-authenticate',
  'x-attestry-version',
  'x-attestry-as-of',
  'x-attestry-behind',
  'x-attestry-ignored',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
  'mcp-session-id',
  'mcp-protocol-version',
]

/** Sent with every answer; `nosniff` keeps browsers from guessing another type. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
  'x-content-type-options': 'nosniff',
} as const

/** The headers of an answer that nobody keeps, names and values in turn. */
export const uncachedHeaders = Object.entries({
  'content-type': jsonContentType,
  'cache-control': 'no-store',
  vary: 'accept-encoding',
  ...corsHeaders,
}).flat()

/** How long caches may keep an answer, as the pairs of names and values that each of its forms has. */
export type Caching = readonly string[]

function cachingOf(cacheControl: string, vary: string): Caching {
  return Object.entries({ 'cache-control': cacheControl, vary, ...corsHeaders }).flat()
}

/** For answers that must be of this moment. */
export const revalidated = cachingOf(revalidateCacheControl, 'accept-encoding')

/**
 * For answers that may be `maxAgeSeconds` old, and as much older again while a cache fetches a new one. A client that
 * asks for a version of the index gets no answer that was kept for others.
 * @param scope `private` where some clients need a key.
 */
export function keptFor(maxAgeSeconds: number, scope: 'public' | 'private'): Caching {
  if (maxAgeSeconds === 0) return revalidated
  return cachingOf(
    `${scope}, max-age=${maxAgeSeconds}, stale-while-revalidate=${maxAgeSeconds}`,
    'accept-encoding, if-attestry-version-at-least',
  )
}

/**
 * Headers of a page for browsers: it runs and loads what `policy` lists, and sends no referrer.
 * @param formTarget where its forms may lead.
 * @param framedBy the pages that may show it in a frame.
 */
export function pageHeaders(
  policy: string,
  formTarget = "'none'",
  framedBy = "'none'",
): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policy}; base-uri 'none'; form-action ${formTarget}; frame-ancestors ${framedBy}`,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/**
 * Headers that browser clients send. `*` allows all others, such as `mcp-param-<name>`; it does not stand for
 * `authorization`, and browsers of 2020 and before do not know it.
 */
const requestHeaders = [
  '*',
  'accept',
  'authorization',
  'content-type',
  'if-none-match',
  'if-modified-since',
  'cache-control',
  'if-attestry-version-at-least',
  // Keys of other services are accepted and ignored, unless the operator has set keys.
  'x-api-key',
  'x-sign-api-key',
  // Model Context Protocol, and streams that continue.
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  // Clients of GraphQL.
  'apollo-require-preflight',
  'apollographql-client-name',
  'apollographql-client-version',
  'x-apollo-operation-id',
  'x-apollo-operation-name',
  'x-requested-with',
  // Tracing (W3C Trace Context, Baggage, Sentry, B3).
  'traceparent',
  'tracestate',
  'baggage',
  'sentry-trace',
  'b3',
  'x-request-id',
]

/** The answer to a preflight, valid for a day. */
export const preflightHeaders = {
  'access-control-allow-headers': requestHeaders.join(', '),
  'access-control-max-age': '86400',
} as const
