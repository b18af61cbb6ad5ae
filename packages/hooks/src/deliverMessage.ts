import type { Dispatcher } from 'undici'
import { parseRetryAfter } from '@attestry/core/model/parseRetryAfter.ts'
import { signedHeaders } from './signMessage.ts'

/** A message to a receiver. Attempts repeat it unchanged. */
export interface HookMessage {
  /** The same for every attempt, also after a crash: receivers recognise a repetition by it. */
  readonly id: string
  readonly body: string
}

/** Why an attempt failed: one sentence without the URL, which may hold a key. */
export interface DeliveryFailure {
  readonly message: string
  /** Time that the receiver asks to wait until the next attempt, in milliseconds; absent if it does not ask. */
  readonly retryAfterMs?: number
}

export interface DeliveryTarget {
  readonly url: string
  readonly secrets: readonly string[]
  readonly agent: Dispatcher
}

/** How long a receiver may take to answer. */
export const answerMaxMs = 15_000

/**
 * Limits on reading an answer's body, which frees the connection for reuse. A longer or slower body ends the
 * connection.
 */
const bodyMax = { bytes: 16 * 1024, ms: 1_000 } as const

/**
 * Makes one attempt to deliver a message. Only a status of 2xx within the time delivers; a redirect is not followed.
 * @param nowSeconds the time of the attempt, which the signature covers.
 * @returns null if the message was delivered.
 */
export async function deliverMessage(
  { url, secrets, agent }: DeliveryTarget,
  message: HookMessage,
  nowSeconds: number,
  stop: AbortSignal,
): Promise<DeliveryFailure | null> {
  const ending = new AbortController()
  const end = () => ending.abort()
  let isLate = false
  let timer = setTimeout(() => {
    isLate = true
    end()
  }, answerMaxMs)
  stop.addEventListener('abort', end, { once: true })
  try {
    const { origin, pathname, search } = new URL(url)
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Attestry',
        ...signedHeaders(message, secrets, nowSeconds),
      },
      body: message.body,
      signal: ending.signal,
    })
    // The status is the answer: what happens to the body changes nothing.
    clearTimeout(timer)
    timer = setTimeout(end, bodyMax.ms)
    await body.dump({ limit: bodyMax.bytes, signal: ending.signal }).catch(() => undefined)
    if (statusCode >= 200 && statusCode < 300) return null
    const redirected = statusCode >= 300 && statusCode < 400
    const refusal = `the receiver answered ${statusCode}${redirected ? '; redirects are not followed' : ''}`
    const retryAfterMs = redirected ? null : parseRetryAfter(headers['retry-after'], nowSeconds * 1_000)
    return { message: refusal, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
  } catch (error) {
    if (isLate) return { message: `the receiver did not answer within ${answerMaxMs / 1_000} s` }
    return { message: describeNetworkError(error) }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

/** Names only the kind of failure: messages of the network library may hold the whole URL. */
function describeNetworkError(error: unknown): string {
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : null)
  if (code === null) return 'the receiver broke off the connection'
  const known = reasons[code]
  if (known !== undefined) return `${known} (${code})`
  if (/SSL|EPROTO/.test(code)) return `no TLS connection to the receiver can be made (${code})`
  if (/CERT|TLS|SIGNED|ALTNAME|ISSUER/.test(code))
    return `the certificate of the receiver is not valid (${code})`
  return `the receiver cannot be reached (${code})`
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the receiver has no address',
  EAI_AGAIN: 'the name of the receiver cannot be resolved at the moment',
  ECONNREFUSED: 'the receiver accepts no connection',
  ECONNRESET: 'the receiver broke off the connection',
  UND_ERR_SOCKET: 'the receiver broke off the connection',
  UND_ERR_CONNECT_TIMEOUT: 'the receiver accepts no connection in time',
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
