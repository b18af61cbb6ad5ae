import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { RateLimitedError } from '@attestry/core/errors/apiErrors.ts'
import type { RateLimit } from '@attestry/host/config/accessRules.ts'
import type { FindKey } from '../access/apiKeys.ts'
import type { Clients } from './clients.ts'
import {
  createRequestCounts,
  type ClientLimits,
  type CountedRequest,
  type CountRequest,
} from './requestCounts.ts'

/** The window of keys with limits where the operator set none. */
export const windowSecondsDefault = 60

/** The limits of each client. */
export interface RateLimiter {
  /** Counts a request for the client that sent it. */
  count(request: IncomingMessage): CountedRequest | Promise<CountedRequest>
  /** Adds the time that the handler of a request took to the costs of its client. */
  charge(request: IncomingMessage, elapsedMs: number): void
  isExceeded(count: CountedRequest): boolean
  /** The headers that tell the client its limits, names and values in turn. */
  headers(count: CountedRequest): string[]
  /** The error for a client that exceeds its limits. */
  refusal(count: CountedRequest): RateLimitedError
}

export interface RateLimiterOptions extends RateLimit {
  readonly clients: Clients
  /** The key that a request sends: its own limits stand in the place of those of everybody. */
  readonly findKey: FindKey
  /** Counts for several processes together, and never fails; by default this process counts its own requests. */
  readonly countRequest?: CountRequest | undefined
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { max = null, costMs = null, windowSeconds, clients, findKey } = options
  const countRequest = options.countRequest ?? createRequestCounts(windowSeconds * 1_000)

  function limitsOf(request: IncomingMessage): ClientLimits {
    const key = findKey(request)
    if (key === null) return { client: clients.of(request), max, costMs }
    return { client: `key ${key.name}`, max: key.rate ?? null, costMs: key.cost ?? null }
  }

  const isCostly = (count: CountedRequest) =>
    count.limits.costMs !== null && count.costMs >= count.limits.costMs

  return {
    count(request) {
      const limits = limitsOf(request)
      const count = countRequest(limits.client)
      return count instanceof Promise ? count.then((told) => ({ ...told, limits })) : { ...count, limits }
    },
    charge(request, elapsedMs) {
      const { client, costMs: limitMs } = limitsOf(request)
      // Most answers take a fraction of a millisecond, which the limit of requests counts.
      if (limitMs !== null && elapsedMs >= 1) void countRequest(client, elapsedMs)
    },
    isExceeded: (count) => count.current > (count.limits.max ?? Infinity) || isCostly(count),
    headers: ({ current, costMs: usedMs, ttlMs, limits }) => {
      const seconds = String(Math.ceil(ttlMs / 1_000))
      const [policies, states, older]: [string[], string[], string[]] = [[], [], []]
      if (limits.max !== null) {
        const left = String(Math.max(0, limits.max - current))
        policies.push(`"requests";q=${limits.max};w=${windowSeconds}`)
        states.push(`"requests";r=${left};t=${seconds}`)
        older.push(
          'x-ratelimit-limit',
          String(limits.max),
          'x-ratelimit-remaining',
          left,
          'x-ratelimit-reset',
          seconds,
        )
      }
      if (limits.costMs !== null) {
        policies.push(`"cost";q=${limits.costMs};w=${windowSeconds};qu="milliseconds"`)
        states.push(`"cost";r=${Math.max(0, Math.floor(limits.costMs - usedMs))};t=${seconds}`)
      }
      if (policies.length === 0) return []
      return [...older, 'ratelimit-policy', policies.join(', '), 'ratelimit', states.join(', ')]
    },
    refusal: (count) => {
      const seconds = Math.max(1, Math.ceil(count.ttlMs / 1_000))
      const used = isCostly(count)
        ? `used its ${count.limits.costMs ?? 0} milliseconds of processing in`
        : `made its ${count.limits.max ?? 0} requests of`
      return new RateLimitedError(
        `This client has ${used} ${windowSeconds} seconds; ask again in ${seconds}.`,
        seconds,
      )
    },
  }
}

/** Limits the requests to every route except health, and requests that no route takes. */
export function limitRates(app: FastifyInstance, limiter: RateLimiter): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && request.routeOptions.config.isVital === true) return done()
    const settle = (count: CountedRequest): void => {
      reply.limitHeaders = limiter.headers(count)
      done(limiter.isExceeded(count) ? limiter.refusal(count) : undefined)
    }
    const count = limiter.count(request.raw)
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
