import type { AttestryError } from '../errors/baseError.ts'
import {
  RpcMissingError,
  RpcRangeTooLargeError,
  RpcRateLimitedError,
  RpcRefusedError,
  RpcUnreachableError,
} from '../errors/rpcErrors.ts'
import type { Refusal } from './classifyRefusal.ts'
import type { RpcCall, RpcErrorObject } from './matchAnswers.ts'

/** Statuses that say that the endpoint took too long: 524 is Cloudflare's. */
const timeoutStatuses = [408, 504, 524]

/** An endpoint's refusal of one call as the error that the call rejects with when no other endpoint does better. */
export function refusalError(refused: {
  readonly host: string
  readonly call: RpcCall
  readonly refusal: Refusal
  readonly error: RpcErrorObject
  readonly httpStatus: number
  readonly retryAfterMs: number | null
  readonly redact: (text: string) => string
}): AttestryError {
  const { host, call, refusal, error, httpStatus, retryAfterMs } = refused
  const said = quote(refused.redact(error.message), error.code, httpStatus)
  const pause = retryAfterMs === null ? {} : { retryAfterMs }
  const facts = {
    host,
    method: call.method,
    rpcCode: error.code,
    httpStatus,
    refusal: refusal.kind,
    ...pause,
  }
  switch (refusal.kind) {
    case 'rateLimited':
      return new RpcRateLimitedError(`${host} asks for fewer requests: ${said}.`, {
        retryable: true,
        facts: { ...facts, retryAfterMs },
      })
    case 'unhealthy': {
      const text = `${host} could not answer ${call.method}: ${said}.`
      const options = { retryable: true, facts }
      return httpStatus >= 500 || httpStatus === 408
        ? new RpcUnreachableError(text, {
            ...options,
            facts: { ...facts, reason: timeoutStatuses.includes(httpStatus) ? 'timeout' : 'broken' },
          })
        : new RpcMissingError(text, options)
    }
    case 'rangeTooWide':
      return new RpcRangeTooLargeError(`${host} refused the range of a request for logs: ${said}.`, { facts })
    default:
      return new RpcRefusedError(`${host} refused ${call.method}: ${said}.`, { retryable: true, facts })
  }
}

/** The message of an endpoint, short enough for a log line; empty if it sent no message. */
export function quoteText(message: string): string {
  // Control characters of a foreign text could forge log lines.
  const text = message
    // oxlint-disable-next-line no-control-regex -- they are what is being removed
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .slice(0, 200)
    .replace(/\.+$/, '')
  return text === '' ? '' : `“${text}”`
}

function quote(message: string, code: number | null, httpStatus: number): string {
  const text = quoteText(message)
  const origin = code === null ? `HTTP ${httpStatus}` : `code ${code}`
  return text === '' ? origin : `${text} (${origin})`
}
