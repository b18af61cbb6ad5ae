import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { RateLimitedError } from '../../errors/apiErrors.ts'
import type { BegunRequests } from '../answers/begunRequests.ts'
import type { Clients } from './clients.ts'
import { createRequestCounts, type CountRequest, type RequestCount } from './requestCounts.ts'

/** The rate limit of a client. */
export interface RateLimit {
  /** Requests in a window. */
  readonly max: number
  readonly windowSeconds: number
}

/**
 * The limit of requests of each client. `@fastify/rate-limit` runs in routes alone, so cached answers would have to be
 * routed for it, at twice their cost. The routes and `answerFirst` both ask this limiter.
 */
export interface RateLimiter {
  /** Counts a request for the client that sent it. */
  count(request: IncomingMessage): RequestCount | Promise<RequestCount>
  isExceeded(count: RequestCount): boolean
  /** The headers that tell the client its limit, names and values in turn. */
  headers(count: RequestCount): string[]
  /** The error for a client that exceeds its limit. */
  refusal(count: RequestCount): RateLimitedError
}

export interface RateLimiterOptions extends RateLimit {
  readonly clients: Clients
  /** Counts for several processes together, and never fails; by default this process counts its own requests. */
  readonly countRequest?: CountRequest | undefined
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { max, windowSeconds, clients } = options
  const countRequest = options.countRequest ?? createRequestCounts(windowSeconds * 1_000)
  return {
    count: (request) => countRequest(clients.of(request)),
    isExceeded: ({ current }) => current > max,
    headers: ({ current, ttlMs }) => [
      'x-ratelimit-limit',
      String(max),
      'x-ratelimit-remaining',
      String(Math.max(0, max - current)),
      'x-ratelimit-reset',
      String(Math.ceil(ttlMs / 1_000)),
    ],
    refusal: ({ ttlMs }) => {
      const seconds = Math.max(1, Math.ceil(ttlMs / 1_000))
      return new RateLimitedError(
        `This client has made its ${max} requests of ${windowSeconds} seconds; ask again in ${seconds}.`,
        seconds,
      )
    },
  }
}

/** Limits the requests to every route except health, and requests that no route takes. */
export function limitRates(app: FastifyInstance, limiter: RateLimiter, begun: BegunRequests): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && request.routeOptions.config.isVital === true) return done()
    const settle = (count: RequestCount): void => {
      reply.limitHeaders = limiter.headers(count)
      done(limiter.isExceeded(count) ? limiter.refusal(count) : undefined)
    }
    const count = begun.get(request.raw)?.count ?? limiter.count(request.raw)
    if (count instanceof Promise) count.then(settle, done)
    else settle(count)
  })
  // Answers that are written to the raw response have the headers by `sendAnswer.ts`.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { limitHeaders } = reply
    for (let i = 0; i < (limitHeaders?.length ?? 0); i += 2) {
      reply.header(limitHeaders?.[i] ?? '', limitHeaders?.[i + 1])
    }
    done(null, payload)
  })
}
