import { parseEndpointUrl } from '@attestry/core/chain/parseEndpointUrl.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { exceedsJson } from '@attestry/core/model/nesting.ts'
import { boundedRequest, isRedirect, readBounded } from './readBounded.ts'

/** Another service of this program, by its URL. */
export interface OtherService {
  /** Host and port: the only part of the URL that messages may hold. */
  readonly place: string
  /**
   * Asks a path, such as `scan/policies`, by POST if there is a body. Redirects are not followed, and an answer has a
   * limit of bytes, levels and time.
   */
  ask(path: string, signal: AbortSignal, body?: unknown): Promise<ServiceAnswer | NoAnswer>
}

export interface ServiceAnswer {
  readonly status: number
  readonly body: unknown
}

export interface NoAnswer {
  readonly status: null
  /** The reason that there is no answer: the rest of a sentence that begins with the service's `place`. */
  readonly reason: string
}

/** Longest wait for one answer. */
const answerMaxMs = 30_000
/** An answer of the widest block, by ten times. */
const answerBytesMax = 4 * 2 ** 20
/** Policies nest deepest. An event of a block has four values. */
const limits = { levels: 64, values: 500_000 }

/**
 * @param option the option that the URL was given by, such as `--against`.
 * @throws ConfigError for a text that is not an HTTP URL.
 */
export function openService(option: string, text: string): OtherService {
  const base = parseServiceUrl(option, text)
  const { host: place, authorization } = parseEndpointUrl(base.href)
  const headers: Record<string, string> = authorization === null ? {} : { authorization }
  base.username = ''
  base.password = ''
  return {
    place,
    ask: async (path, signal, body) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      try {
        const response = await fetch(new URL(path, base), {
          ...boundedRequest,
          ...sent,
          headers: { ...boundedRequest.headers, ...headers, ...type },
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerMaxMs)]),
        })
        return await readAnswer(response)
      } catch {
        signal.throwIfAborted()
        return noAnswer('does not answer')
      }
    },
  }
}

async function readAnswer(response: Response): Promise<ServiceAnswer | NoAnswer> {
  if (isRedirect(response)) {
    await response.body?.cancel()
    return noAnswer('answers with a redirect, which is not followed; give the URL that it names')
  }
  const bytes = await readBounded(response, answerBytesMax)
  if (bytes === null) return noAnswer(`answers more than ${answerBytesMax} bytes`)
  const text = Buffer.from(bytes).toString()
  if (exceedsJson(text, limits)) {
    return noAnswer(`answers with more than ${limits.levels} levels or ${limits.values} values of JSON`)
  }
  try {
    return { status: response.status, body: JSON.parse(text) as unknown }
  } catch {
    return noAnswer('does not answer with JSON')
  }
}

function noAnswer(reason: string): NoAnswer {
  return { status: null, reason }
}

/** The members `data` and `message` of an answer in the envelope. */
export function readEnvelope({ body }: ServiceAnswer): {
  readonly data: unknown
  readonly message: string
} {
  const { data, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return { data, message: String(message).slice(0, 200) }
}

function parseServiceUrl(option: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(
      `The option ${option} must be the URL of a service, such as https://attestry.example`,
    )
  }
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}
