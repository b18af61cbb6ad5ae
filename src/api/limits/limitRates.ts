import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { RateLimitedError } from '../../errors/apiErrors.ts'
import { clientsMax, type CountRequest } from './requestCounts.ts'

/** How often one client may ask. */
export interface RateLimit {
  /** Requests in a window. */
  readonly max: number
  readonly windowSeconds: number
}

const headerNames = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * Limits the requests of each client to the routes that are added afterwards, and to what no route takes. A client is an IPv4 address
 * or a /64 of IPv6, as `trustProxy` lets it be seen.
 * @param countRequest counts for several processes together, and never fails; by default each counts what it is asked itself.
 */
export function limitRates(
  app: FastifyInstance,
  { max, windowSeconds }: RateLimit,
  countRequest?: CountRequest,
): void {
  app.register(rateLimit, {
    max,
    timeWindow: windowSeconds * 1_000,
    cache: clientsMax,
    ...(countRequest === undefined ? {} : { store: storeOver(countRequest) }),
    errorResponseBuilder: (_request, { ttl }) => {
      const seconds = Math.max(1, Math.ceil(ttl / 1_000))
      return new RateLimitedError(
        `This client has made its ${max} requests of ${windowSeconds} seconds; ask again in ${seconds}.`,
        seconds,
      )
    },
  })
  app.after(() => {
    const limit = app.rateLimit()
    app.addHook('onRequest', async function limitUnrouted(request, reply) {
      if (request.is404) await limit.call(this, request, reply)
    })
  })
  // Most answers are written past Fastify's reply, which holds what the plugin has to tell.
  app.addHook('preHandler', (_request, reply, done) => {
    for (const name of headerNames) {
      const value = reply.getHeader(name)
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    done()
  })
}

/** The plugin's interface to counts that are kept elsewhere. One count holds for all routes. */
function storeOver(countRequest: CountRequest): FastifyRateLimitStoreCtor {
  return class Store implements FastifyRateLimitStore {
    incr(client: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      void (async () => {
        const { current, ttlMs } = await countRequest(client)
        callback(null, { current, ttl: ttlMs })
      })()
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }
}
