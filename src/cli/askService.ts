import { parseEndpointUrl } from '../chain/parseEndpointUrl.ts'
import { ConfigError } from '../errors/configErrors.ts'

/** Another service of this program, by its URL. */
export interface OtherService {
  /** Host and port: the only part of the URL that messages may hold. */
  readonly place: string
  /**
   * Asks a path, such as `scan/policies`, by POST where there is a body.
   * @returns null where the service does not answer, or not with JSON.
   */
  ask(path: string, signal: AbortSignal, body?: unknown): Promise<ServiceAnswer | null>
}

export interface ServiceAnswer {
  readonly status: number
  readonly body: unknown
}

/** Longest wait for one answer. */
const answerMaxMs = 30_000

/**
 * @param option the option that the URL was given by, such as `--against`.
 * @throws ConfigError for a text that is no HTTP URL.
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
      const sent =
        body === undefined
          ? { headers }
          : {
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify(body),
            }
      try {
        const response = await fetch(new URL(path, base), {
          ...sent,
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerMaxMs)]),
        })
        return { status: response.status, body: await response.json() }
      } catch {
        signal.throwIfAborted()
        return null
      }
    },
  }
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
