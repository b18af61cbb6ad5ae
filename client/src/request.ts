import { AttestryError } from './attestryError.ts'
import { readBehind, type OnBehind } from './behind.ts'

/** The options of all requests. */
export interface Transport {
  /** The address of the service, without a slash at the end. */
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly headers: Readonly<Record<string, string>>
  /** How often a request with a temporary failure is repeated. */
  readonly retriesMax: number
  /** The longest time until the headers of an answer, in milliseconds. */
  readonly timeoutMs: number
  readonly onBehind: OnBehind | undefined
}

export interface Ask {
  readonly path: string
  /** Values of `{name}` in the path, and of the query; null and undefined values are left out. */
  readonly parameters?: object
  /** A body of JSON; with one the request is a POST. */
  readonly body?: unknown
  readonly accept: string
  readonly signal?: AbortSignal | undefined
  readonly onBehind?: OnBehind | undefined
}

/** The first pause before a request is repeated, in milliseconds; each further pause is twice as long. */
const pauseFirstMs = 250
/** The longest pause before a repetition, in milliseconds, even if `Retry-After` asks for a longer one. */
const pauseMaxMs = 60_000

/**
 * Sends a request, repeats it after a temporary failure, and returns the successful response.
 * @throws AttestryError with the server's message; the reason of `signal` once that is aborted.
 */
export async function request(transport: Transport, ask: Ask): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(transport, ask)
    } catch (error) {
      if (!(error instanceof AttestryError) || !error.isPassing || attempt >= transport.retriesMax)
        throw error
      await pause(error.retryAfterMs ?? pauseFirstMs * 2 ** attempt, ask.signal)
    }
  }
}

/** Waits; rejects at once with the signal's reason if the signal is aborted. */
export function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end)
        resolve()
      },
      Math.min(durationMs, pauseMaxMs),
    )
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}

async function attemptOnce(transport: Transport, ask: Ask): Promise<Response> {
  ask.signal?.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), transport.timeoutMs)
  const signals = ask.signal === undefined ? [late.signal] : [late.signal, ask.signal]
  // A mistake of the caller is no failure of the server.
  const url = urlOf(transport.baseUrl, ask)
  let response: Response
  try {
    response = await transport.fetch(url, {
      method: ask.body === undefined ? 'GET' : 'POST',
      headers: {
        ...transport.headers,
        accept: ask.accept,
        ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.any(signals),
      ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
    })
  } catch (error) {
    ask.signal?.throwIfAborted()
    const reason = late.signal.aborted
      ? `gave no answer within ${transport.timeoutMs} ms`
      : `cannot be reached${describeCause(error)}`
    throw new AttestryError(0, `${originOf(transport.baseUrl)} ${reason}.`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
  const behind = readBehind(response)
  if (behind.length > 0) {
    transport.onBehind?.(behind)
    ask.onBehind?.(behind)
  }
  if (response.ok) return response
  throw await errorOf(response, transport.baseUrl)
}

type Scalar = string | number | boolean
/** A parameter with members is sent as `name[member]`, by the style `deepObject` of OpenAPI. */
type Value = Scalar | readonly Scalar[] | { readonly [member: string]: Value } | null | undefined

/** The address of a request; members of the path are percent-encoded. */
export function urlOf(baseUrl: string, { path, parameters = {} }: Ask): string {
  const query = new URLSearchParams()
  let filled = path
  for (const [name, value] of Object.entries(parameters) as [string, Value][]) {
    if (value === undefined || value === null) continue
    if (typeof value === 'object' && !isList(value)) {
      appendMembers(query, name, value)
      continue
    }
    const text = isList(value) ? value.join(',') : String(value)
    const place = `{${name}}`
    if (path.includes(place)) filled = filled.replace(place, () => encodeURIComponent(text))
    else query.set(name, text)
  }
  const missing = /\{\w+\}/.exec(filled)
  if (missing !== null) throw new TypeError(`${path} needs a value for ${missing[0]}.`)
  return `${baseUrl}${filled}${query.size === 0 ? '' : `?${query.toString()}`}`
}

/** A list within such a parameter is sent as JSON: its texts may have commas. */
function appendMembers(
  query: URLSearchParams,
  name: string,
  members: { readonly [member: string]: Value },
): void {
  for (const [member, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue
    const place = `${name}[${member}]`
    if (isList(value)) query.append(place, JSON.stringify(value))
    else if (typeof value === 'object') appendMembers(query, place, value)
    else query.append(place, String(value))
  }
}

/** `Array.isArray` does not narrow to a readonly array. */
function isList(value: Value): value is readonly Scalar[] {
  return Array.isArray(value)
}

/** Only the origin: a path or a query of the base may hold a key. */
export function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'The server'
}

/** The reason why no answer came, if the runtime gives it; browsers do not. */
function describeCause(error: unknown): string {
  const causes = [error, error instanceof Error ? error.cause : null]
  const code = causes.flatMap((each) =>
    each instanceof Error && 'code' in each && typeof each.code === 'string' ? [each.code] : [],
  )[0]
  if (code === undefined) return ''
  const known = networkCodes.find(([pattern]) => pattern.test(code))
  return known === undefined ? ` (${code})` : `: ${known[1]} (${code})`
}

const networkCodes: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND$/, 'its name has no address'],
  [/^EAI_AGAIN$/, 'its name cannot be resolved at the moment'],
  [/^ECONNREFUSED$/, 'nothing accepts connections there'],
  [/^(?:ECONNRESET|UND_ERR_SOCKET)$/, 'the connection was broken off'],
  [/CERT|SIGNED|ALTNAME|ISSUER/, 'its certificate is not valid'],
  [/SSL|TLS|EPROTO/, 'it does not speak TLS there'],
  [/TIMEOUT|ETIMEDOUT/, 'it accepts no connection in time'],
  [/^ERR_INVALID_URL$/, 'baseUrl is no absolute URL'],
]

/** Whose answer it is, if it is not one of an Attestry service: a proxy, a login page, another site. */
export function describeStranger(response: Response): string {
  const { status, headers, redirected, url } = response
  const type = headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  const what = type === '' ? '' : ` and ${type === 'text/html' ? 'a web page' : type}`
  const from = redirected && URL.canParse(url) ? `, after a redirect to ${new URL(url).origin}` : ''
  return `answered with status ${status}${what}${from}, not as an Attestry service does: ${hintOf(status)}`
}

function hintOf(status: number): string {
  if (status === 401 || status === 403 || status === 407) return 'a proxy in front of it may want credentials'
  if (status === 429) return 'a proxy in front of it limits requests'
  if (status >= 500) return 'a proxy in front of it cannot reach it'
  return 'baseUrl may be another site, or lack a part of the path'
}

async function errorOf(response: Response, baseUrl: string): Promise<AttestryError> {
  const body = (await response.json().catch(() => null)) as {
    readonly message?: unknown
    readonly errors?: readonly { readonly message?: unknown }[]
  } | null
  // REST puts the error into the envelope, GraphQL into a list of errors.
  const told = body?.message ?? body?.errors?.[0]?.message
  const sentence = typeof told === 'string' ? told : `${originOf(baseUrl)} ${describeStranger(response)}.`
  // The sentence of the server for a path that no route has.
  const hasNoPath = typeof told !== 'string' || told.startsWith('There is nothing at ')
  return new AttestryError(response.status, sentence, {
    retryAfterMs: retryAfterOf(response),
    isUnknownPath: response.status === 404 && hasNoPath,
    behind: readBehind(response),
  })
}

/** `Retry-After` in milliseconds, given as seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterOf(response: Response): number | null {
  const text = response.headers.get('retry-after')
  if (text === null) return null
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  // `Date.parse` reads nearly anything; a date in a header holds letters.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}
