import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  BadRequestError,
  MethodNotAllowedError,
  NotFoundError,
  UrlTooLongError,
} from '@attestry/core/errors/apiErrors.ts'
import { clientErrorMessage, urlLengthMax } from './errorAnswer.ts'
import { corsHeaders, preflightHeaders } from './headers.ts'
import { decodeQueryText } from './parameters/readParameters.ts'
import { quoteInput } from './quoteInput.ts'
import type { RouteTable } from './routeTable.ts'

/** The error of a request that no route may take, on any path; null for all others. */
export function findRequestError(request: FastifyRequest): Error | null {
  const { raw } = request
  if ((raw.url ?? '').length > urlLengthMax) return new UrlTooLongError(clientErrorMessage(414))
  return raw.headers.host === undefined && raw.httpVersion === '1.1'
    ? new BadRequestError('The Host header is missing; HTTP/1.1 requires it.')
    : null
}

/**
 * Answers an `OPTIONS` request that no route takes; any other unrouted request is an error, which this function
 * returns. The body is never read: an unknown method is a 405 with any body.
 * @returns null once the request is answered.
 */
export function answerUnrouted(
  routes: RouteTable,
  request: FastifyRequest,
  reply: FastifyReply,
): MethodNotAllowedError | NotFoundError | null {
  const { method } = request
  const url = request.raw.url ?? ''
  const found = routes.find(url)
  const allowed = [...new Set([...(found?.methods ?? ['GET', 'HEAD']), 'OPTIONS'])].join(', ')
  // A preflight asks about the origin, not about the path: a browser that is refused it never shows the 404.
  const isPreflight = request.headers['access-control-request-method'] !== undefined
  if (method === 'OPTIONS' && (found !== null || url === '*' || isPreflight)) {
    void reply
      .code(204)
      .headers({
        ...corsHeaders,
        ...preflightHeaders,
        allow: allowed,
        'access-control-allow-methods': allowed,
      })
      .send()
    return null
  }
  if (found !== null) {
    return methodNotAllowed(method, allowed.split(', '))
  }
  const path = quoteInput(url.replace(/[?#].*$/s, ''))
  return new NotFoundError(`There is nothing at ${path}; the paths begin with /scan, which lists them.`)
}

/** The error for a method that a path does not have. */
export function methodNotAllowed(method: string, allowedMethods: readonly string[]): MethodNotAllowedError {
  const message = `${quoteInput(method)} is not allowed on this path; use ${allowedMethods.join(', ')}.`
  return new MethodNotAllowedError(message, allowedMethods)
}

/** The error for a path that the router cannot decode. The message names the malformed parameter where there is one. */
export function badPathError(routes: RouteTable, request: FastifyRequest): Error {
  const url = request.raw.url ?? ''
  if (url.length > urlLengthMax) return new UrlTooLongError(clientErrorMessage(414))
  const parameters = Object.entries(routes.find(url)?.rawParameters ?? {})
  const name = parameters.find(([, raw]) => decodeQueryText(raw) === null)?.[0] ?? 'The path'
  return new BadRequestError(`${name} is not percent-encoded UTF-8; encode it as encodeURIComponent does.`)
}
