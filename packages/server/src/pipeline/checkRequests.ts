import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkAccess, type Access } from './access/createAccess.ts'
import type { EndpointContext } from './addEndpoint.ts'
import { answerUnrouted, findRequestError } from './answerUnrouted.ts'
import { checkMinimumVersion, minimumVersionHeader } from './indexVersion.ts'
import { limitRates, type RateLimiter } from './limits/limitRates.ts'
import { countUnrouted } from './limits/meterRoutes.ts'
import type { RequestMeter } from './metrics/requestMeter.ts'
import type { RouteTable } from './routeTable.ts'

interface CheckParts {
  readonly context: EndpointContext
  readonly routeTable: () => RouteTable
  readonly meter: RequestMeter
  readonly limiter: RateLimiter | null
  readonly access: Access
  /** Answers a request that no route takes; false: somebody else has to. */
  readonly answerUnknown: (request: FastifyRequest, reply: FastifyReply) => boolean
}

/**
 * The checks that every request passes, in this order:
 * 1. its URL and its Host header;
 * 2. the limit of its client;
 * 3. whether its client, or the page that sent it, may ask;
 * 4. whether a route takes the request;
 * 5. whether the index has reached the version that it asks for.
 */
export function checkRequests(
  app: FastifyInstance,
  { context, routeTable, meter, limiter, access, answerUnknown }: CheckParts,
): void {
  app.addHook('onRequest', (request, _reply, done) => done(findRequestError(request) ?? undefined))
  if (limiter !== null) limitRates(app, limiter)
  checkAccess(app, access)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) {
      if (answerUnknown(request, reply)) return
      const error = answerUnrouted(routeTable(), request, reply)
      if (error === null) countUnrouted(meter, reply.statusCode)
      else done(error)
      return
    }
    const header = request.raw.headers[minimumVersionHeader]
    if (header === undefined) return done()
    const pass = () => done()
    checkMinimumVersion(context.reader, String(header)).then(pass, done)
  })
  app.addHook('preClose', (done) => {
    context.waits.close()
    done()
  })
}
