/** The kind of connection to an endpoint: one request for each call, or one connection for messages both ways. */
export type EndpointScheme = 'http' | 'ws'

/** The address of an endpoint. Only `host` may be shown; everything else is secret. */
export interface EndpointAddress {
  readonly scheme: EndpointScheme
  /** Host and port: the only part of the URL that errors and log events may hold. */
  readonly host: string
  readonly origin: string
  /** Path and query; may hold a key. */
  readonly path: string
  /** The value of the `Authorization` header, where the URL holds user and password. */
  readonly authorization: string | null
  /**
   * Takes the URL's secrets out of a text that came from elsewhere, such as an endpoint's error message that echoes its
   * key.
   */
  readonly redact: (text: string) => string
}

/**
 * Shortest path segment that is taken for a secret. `v2` and `rpc` are no secrets, and removing them would garble
 * messages.
 */
const secretSegmentLengthMin = 4

const schemes: Readonly<Record<string, EndpointScheme>> = {
  'http:': 'http',
  'https:': 'http',
  'ws:': 'ws',
  'wss:': 'ws',
}

/**
 * Reads the URL of an endpoint.
 * @throws TypeError for anything but http, https, ws and wss; its message does not hold the URL.
 */
export function parseEndpointUrl(text: string): EndpointAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  const scheme = url === null ? undefined : schemes[url.protocol]
  if (url === null || scheme === undefined) {
    throw new TypeError('The endpoint is not an http, https, ws or wss URL.')
  }
  const user = decodeLoosely(url.username)
  const password = decodeLoosely(url.password)
  const authorization =
    user === '' && password === '' ? null : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const secrets = collectSecrets(url, user, password, authorization)
  return {
    scheme,
    host: url.host,
    origin: url.origin,
    path: url.pathname + url.search,
    authorization,
    redact: (raw) => secrets.reduce((current, secret) => current.replaceAll(secret, '…'), raw),
  }
}

function collectSecrets(url: URL, user: string, password: string, authorization: string | null): string[] {
  const secrets = new Set<string>()
  const add = (secret: string, lengthMin: number) => {
    if (secret.length >= lengthMin) secrets.add(secret)
    const decoded = decodeLoosely(secret)
    if (decoded.length >= lengthMin) secrets.add(decoded)
  }
  add(url.pathname + url.search, 2)
  add(url.pathname, secretSegmentLengthMin)
  for (const segment of url.pathname.split('/')) add(segment, secretSegmentLengthMin)
  if (url.search.length > 1) add(url.search.slice(1), 1)
  for (const value of url.searchParams.values()) add(value, 1)
  for (const value of [user, password, url.username, url.password]) add(value, 1)
  if (authorization !== null) add(authorization.slice('Basic '.length), 1)
  // Longer ones first, so that a secret inside another leaves no rest of it behind.
  return [...secrets].sort((a, b) => b.length - a.length)
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
