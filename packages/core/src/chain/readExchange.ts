import { isJsonObject } from '../model/jsonObject.ts'
import type { AttestryError } from '../errors/baseError.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { classifyRefusal, type Refusal } from './classifyRefusal.ts'
import {
  matchAnswers,
  type MatchedAnswers,
  type RpcAnswer,
  type RpcCall,
  type RpcErrorObject,
} from './matchAnswers.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'
import { quoteText, refusalError } from './refusalError.ts'
import type { RpcReply } from './rpcTransport.ts'
import { retryAfterMaxMs } from '../model/parseRetryAfter.ts'

export type Exchanged =
  /** In the order of the calls; null for a call without an answer. */
  | { readonly kind: 'answers'; readonly answers: readonly (RpcAnswer | null)[] }
  /** The calls were too many for one request, or one request at all. */
  | { readonly kind: 'batchRefused'; readonly suggestedSize: number | null }

export interface Explained {
  readonly refusal: Refusal
  readonly error: AttestryError
}

/**
 * Reads the reply to calls whose ids count up from `firstId`.
 * @throws the retryable error of an endpoint that failed as a whole.
 */
export function readExchange(
  reply: RpcReply,
  calls: readonly RpcCall[],
  firstId: number,
  address: EndpointAddress,
): Exchanged {
  const { host } = address
  const { status, body } = reply
  const first = calls[0]
  if (first === undefined) return { kind: 'answers', answers: [] }
  const matched = body === undefined ? null : matchAnswers(body, calls.length, firstId)
  const isOk = status >= 200 && status < 300
  // Some endpoints send proper answers, a revert for one, with a status of failure.
  if (matched?.kind === 'answers' && ![401, 402, 403, 429].includes(status)) {
    return isOk
      ? matched
      : { kind: 'answers', answers: matched.answers.map((item) => withStatus(item, status)) }
  }
  if (isOk && matched?.kind !== 'wholeError') {
    const quoted = quoteText(address.redact(reply.text ?? ''))
    const page = quoted === '' ? '' : ` (${quoted})`
    const reason = matched?.kind === 'malformed' ? matched.reason : `the body is no JSON${page}`
    throw new RpcMalformedError(`${host} gave an answer that is not JSON-RPC: ${reason}.`, {
      retryable: true,
      facts: { host },
    })
  }
  // A refusal as a whole, by status or by one error for all calls.
  const error = wholeError(matched) ?? { code: null, message: sayingOf(body, reply.text ?? ''), data: null }
  const refusal = classify(first, error, calls.length, status)
  if (calls.length > 1 && (refusal.kind === 'batchTooLarge' || !isEndpointWide(refusal, status))) {
    const suggestedSize = refusal.kind === 'batchTooLarge' ? refusal.suggestedSize : null
    return { kind: 'batchRefused', suggestedSize }
  }
  // A single call whose error came with a status of its own is like any other that was answered with an error.
  if (calls.length === 1 && !isEndpointWide(refusal, status)) {
    return { kind: 'answers', answers: [{ kind: 'error', error: { ...error, httpStatus: status } }] }
  }
  throw refusalError({
    host,
    call: first,
    refusal,
    error,
    httpStatus: status,
    retryAfterMs: reply.retryAfterMs ?? parseBackoff(error.message, error.data),
    redact: address.redact,
  })
}

/** The meaning of an error that answered one of `batchSize` calls, and the error it is for the caller. */
export function explainError(
  call: RpcCall,
  error: RpcErrorObject,
  batchSize: number,
  address: EndpointAddress,
): Explained {
  const { host, redact } = address
  const httpStatus = error.httpStatus ?? 200
  const refusal = classify(call, error, batchSize, httpStatus)
  return {
    refusal,
    error: refusalError({
      host,
      call,
      refusal,
      error,
      httpStatus,
      retryAfterMs: parseBackoff(error.message, error.data),
      redact,
    }),
  }
}

function classify(call: RpcCall, error: RpcErrorObject, batchSize: number, httpStatus: number): Refusal {
  return classifyRefusal({
    method: call.method,
    blockCount: call.blockCount ?? 1,
    batchSize,
    httpStatus,
    code: error.code,
    message: error.message,
    data: textOf(error.data),
  })
}

/** Whether a refusal says something of the endpoint rather than of what was asked. */
function isEndpointWide(refusal: Refusal, status: number): boolean {
  if (refusal.kind === 'rateLimited') return true
  if (refusal.kind === 'unhealthy') return status >= 500 || status === 408
  return [401, 402, 403, 404].includes(status)
}

function withStatus(answer: RpcAnswer | null, httpStatus: number): RpcAnswer | null {
  return answer?.kind === 'error' ? { kind: 'error', error: { ...answer.error, httpStatus } } : answer
}

function wholeError(matched: MatchedAnswers | null): RpcErrorObject | null {
  if (matched?.kind === 'wholeError') return matched.error
  if (matched?.kind === 'answers') {
    const answer = matched.answers.find((item) => item?.kind === 'error')
    if (answer?.kind === 'error') return answer.error
  }
  return null
}

/** The message of a refusal that is not JSON-RPC: that of a gateway in JSON, or the text of a page. */
function sayingOf(body: unknown, text: string): string {
  if (typeof body === 'string') return body
  if (!isJsonObject(body)) return text
  const said = ['message', 'detail', 'error_description', 'title', 'reason', 'msg'].map((key) => body[key])
  return said.find((value) => typeof value === 'string') ?? ''
}

function textOf(data: unknown): string {
  if (data === null || data === undefined) return ''
  return (typeof data === 'string' ? data : JSON.stringify(data)).slice(0, 1000)
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

/**
 * The wait that the error of a JSON-RPC answer asks for, in milliseconds. It is given by `backoff_seconds` in the data
 * (Infura), or in words such as "retry in 10s". Null if the error does not say.
 */
function parseBackoff(message: string, data: unknown): number | null {
  const seconds = /"backoff_seconds":\s*([0-9]+(?:\.[0-9]+)?)/.exec(JSON.stringify(data ?? null))?.[1]
  if (seconds !== undefined && Number(seconds) > 0) return Math.min(Number(seconds) * 1_000, retryAfterMaxMs)
  const said =
    /(?:retry|try again) (?:in|after):? ([0-9]{1,9}(?:\.[0-9]+)?) ?(ms|milliseconds?|s|sec|seconds?|m|min|minutes?)\b/i.exec(
      message,
    )
  if (said === null) return null
  const unit = said[2]?.toLowerCase() ?? 's'
  const unitMs =
    unitsMs[unit.startsWith('mi') && !unit.startsWith('min') ? 'ms' : unit === 'ms' ? 'ms' : unit.charAt(0)]
  return Math.min(Number(said[1]) * (unitMs ?? 1_000), retryAfterMaxMs)
}
