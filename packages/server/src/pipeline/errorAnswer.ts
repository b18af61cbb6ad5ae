import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  KeyRequiredError,
  MethodNotAllowedError,
  NotFoundError,
  OverloadedError,
  ProofUnavailableError,
  RateLimitedError,
} from '@attestry/core/errors/apiErrors.ts'
import { StoreTooMuchWorkError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { errorEnvelope, internalErrorMessage, storeUnavailableMessage } from './envelope.ts'
import { behindHeaderName, corsHeaders, jsonContentType } from './headers.ts'
import { pageTooDeep } from './pageTooDeep.ts'

/** Called for a request that is answered with an HTTP error. */
export type NoteFailure = (request: FastifyRequest, error: unknown, statusCode: number) => void

/** Counting passes over rows and is bounded; a walk by cursor counts nothing. */
export const tooMuchWorkMessage =
  'Too many rows would have to be counted for these filters; add schemaId, attester or recipient, take a longer keyword, or walk the listing by cursor=*.'

/**
 * Seconds until a client may ask again while the store is unavailable: about the time that a database takes to restart.
 */
const storeRetryAfterSeconds = 5

export interface ErrorAnswer {
  readonly statusCode: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

/** The answer for an error. Only our own messages about the request are sent; all others are constants. */
export function errorAnswerOf(error: unknown): ErrorAnswer {
  if (error instanceof MethodNotAllowedError) {
    const headers = { allow: error.allowedMethods.join(', ') }
    return { statusCode: error.statusCode, message: error.message, headers }
  }
  if (error instanceof OverloadedError || error instanceof RateLimitedError) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) }
    return { statusCode: error.statusCode, message: error.message, headers }
  }
  if (error instanceof ProofUnavailableError) {
    const { statusCode, message, retryAfterSeconds: seconds } = error
    return { statusCode, message, headers: seconds === null ? {} : { 'retry-after': String(seconds) } }
  }
  if (error instanceof KeyRequiredError) {
    const headers = { 'www-authenticate': 'Bearer realm="attestry"' }
    return { statusCode: error.statusCode, message: error.message, headers }
  }
  if (error instanceof NotFoundError && error.behind !== null) {
    const headers = { [behindHeaderName]: error.behind }
    return { statusCode: error.statusCode, message: error.message, headers }
  }
  if (error instanceof ApiError) return { statusCode: error.statusCode, message: error.message, headers: {} }
  if (error instanceof StoreUnavailableError) {
    const headers = { 'retry-after': String(storeRetryAfterSeconds) }
    return { statusCode: 503, message: storeUnavailableMessage, headers }
  }
  if (error instanceof StoreTooMuchWorkError) {
    return { statusCode: 400, message: pageTooDeep(error) ?? tooMuchWorkMessage, headers: {} }
  }
  const statusCode = clientErrorStatus(error)
  if (statusCode === null) return { statusCode: 500, message: internalErrorMessage, headers: {} }
  return { statusCode, message: clientErrorMessage(statusCode), headers: {} }
}

/** Answers a request with an error. */
export function sendErrorAnswer(
  reply: FastifyReply,
  { statusCode, message, headers }: ErrorAnswer,
): FastifyReply {
  return reply
    .code(statusCode)
    .headers({ ...headers, ...corsHeaders, 'content-type': jsonContentType, 'cache-control': 'no-store' })
    .send(errorEnvelope(statusCode, message))
}

/**
 * The message for an error of the framework about a request, by status. The framework's own texts repeat parts of the
 * request unescaped.
 */
export function clientErrorMessage(statusCode: number): string {
  switch (statusCode) {
    case 400:
      return 'The request is not valid HTTP; send a well-formed HTTP/1.1 request.'
    case 408:
      return 'The request did not arrive in time; send it again, whole and at once.'
    case 413:
      return 'The body is longer than this path reads; send a shorter one.'
    case 414:
      return `The URL is too long; it may have at most ${urlLengthMax} bytes.`
    case 415:
      return 'The body is of a type that this path does not read; send it as application/json.'
    case 417:
      return 'The Expect header asks for something else than 100-continue; leave it out.'
    case 429:
      return 'This address asks too often; wait as long as Retry-After says.'
    case 431:
      return `The headers are too long; with the URL they may have at most ${headersLengthMax} bytes.`
    default:
      return `The request cannot be answered: ${STATUS_CODES[statusCode] ?? 'it is not valid'}.`
  }
}

/** The longest accepted URL, in bytes. The longest meaningful one has some 10,000: a hundred ids of EAS. */
export const urlLengthMax = 12_288

/** Most bytes of request line and headers together. */
export const headersLengthMax = 20_480

/** The status of an error that the framework raised about the request; null if the request did not cause it. */
function clientErrorStatus(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null
}
