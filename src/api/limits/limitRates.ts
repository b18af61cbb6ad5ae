import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { RateLimitedError } from '../../errors/apiErrors.ts'

/** How often one client may ask. */
export interface RateLimit {
  /** Requests in a window. */
  readonly max: number
  readonly windowSeconds: number
}

/** Clients remembered; the one unseen for longest is forgotten first. */
const clientsMax = 50_000

const headerNames = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * Limits the requests of each client to the routes that are added afterwards, and to what no route takes. A client is an IPv4 address
 * or a /64 of IPv6, as `trustProxy` lets it be seen.
 */
export function limitRates(app: FastifyInstance, { max, windowSeconds }: RateLimit): void {
  app.register(rateLimit, {
    max,
    timeWindow: windowSeconds * 1_000,
    cache: clientsMax,
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
