import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { traced } from '@attestry/core/model/traced.ts'
import type { RequestMeter, RouteMeter } from '../metrics/requestMeter.ts'
import { runFor, type Asker, type FindAsker } from '@attestry/core/shares/askers.ts'
import { mayTake } from '@attestry/core/shares/fairShares.ts'
import { watchLoop } from './watchLoop.ts'

export interface LoadLimits {
  /** Requests that handlers are working on at the same time. From half of them on, each client has a share. */
  readonly inFlightMax: number
  /** The greatest delay of the event loop. */
  readonly lagMaxMs: number
}

const limitDefaults: LoadLimits = { inFlightMax: 1_000, lagMaxMs: 1_000 }

/** Requests that any client may have under way. */
const everyClientMax = 8

/** Seconds after which a refused client may ask again. */
const retryAfterSeconds = 2

/** The configuration of routes of health and metrics, which are never refused, least of all under load. */
export const vitalRoute = { isVital: true } as const

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isVital?: boolean
    meter?: RouteMeter
  }
}

/**
 * Clients that stay counted, many times `inFlightMax`: to forget each one without a request at once takes 2 µs of every
 * request, to look for them seldom takes nothing.
 */
const countedClientsMax = 10_000

/**
 * Watches the load of a server while it listens.
 * @returns counts and times the handler of a route, and refuses its requests with 503 under overload. It wraps the
 * handler: a hook at the end of answers would add listeners to each response.
 */
export function watchLoad(
  app: FastifyInstance,
  meter: RequestMeter,
  options: Partial<LoadLimits> & {
    readonly aliasPrefix: string
    /** Adds the time of a handler to the costs of the client that asked. */
    readonly charge: (request: IncomingMessage, elapsedMs: number) => void
    readonly askerOf: FindAsker
  },
): (route: RouteOptions) => void {
  const { inFlightMax, lagMaxMs, aliasPrefix, charge, askerOf } = { ...limitDefaults, ...options }
  const loop = watchLoop()
  const isOverloaded = () => meter.inFlight >= inFlightMax || loop.lagMs() > lagMaxMs
  const ofClients = new Map<string, number>()
  /** Whether the client has more under way than its share while there is much. */
  const isBeyondShare = (asker: Asker) => {
    const own = ofClients.get(asker.name) ?? 0
    if (meter.inFlight < inFlightMax / 2 || own < everyClientMax) return false
    return !mayTake(inFlightMax, asker, 1, { own, all: Math.max(own, meter.inFlight) })
  }
  const count = (name: string, by: 1 | -1) => {
    const number = (ofClients.get(name) ?? 0) + by
    ofClients.set(name, number)
    if (number > 0 || ofClients.size <= countedClientsMax) return
    for (const [client, left] of ofClients) if (left === 0) ofClients.delete(client)
  }
  app.addHook('onListen', (done) => {
    loop.start()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    loop.stop()
    done()
  })

  function meterRoute(route: RouteOptions): void {
    const { handler, url } = route
    const path = url.startsWith(`${aliasPrefix}/`) ? url.slice(aliasPrefix.length) : url
    const routeMeter = meter.route(path)
    const isVital = route.config?.isVital === true
    route.config = { ...route.config, meter: routeMeter }
    route.handler = function meteredHandler(request, reply) {
      const asker = askerOf(request.raw)
      if (!isVital && (isOverloaded() || isBeyondShare(asker))) {
        meter.shedCount += 1
        throw new OverloadedError(
          'The server has more to do than it can; ask again in a moment.',
          retryAfterSeconds,
        )
      }
      const startMs = performance.now()
      tellRoute(request.raw, path)
      meter.inFlight += 1
      count(asker.name, 1)
      /** Returns the milliseconds that the handler took. */
      const end = (): number => {
        meter.inFlight -= 1
        count(asker.name, -1)
        const elapsedMs = performance.now() - startMs - meter.waitedMs(reply.raw)
        charge(request.raw, elapsedMs)
        return elapsedMs
      }
      const succeeded = (): void => routeMeter.answered(reply.raw.statusCode, end())
      const failed = (error: unknown): never => {
        routeMeter.timed(end())
        throw error
      }
      let result: unknown
      try {
        result = runFor(
          () => asker,
          () => handler.call(this, request, reply),
        )
      } catch (error) {
        return failed(error)
      }
      if (!(result instanceof Promise)) {
        succeeded()
        return result
      }
      return result.then((value: unknown) => {
        succeeded()
        return value
      }, failed)
    }
  }
  return meterRoute
}

/** Tells a tracer which route answers. */
function tellRoute(request: IncomingMessage, path: string): void {
  if (traced.route.start.hasSubscribers) traced.route.start.publish({ request, path })
}

/** Counts an answer without a handler, under its route if it has one. */
export function countUnhandled(meter: RequestMeter, request: FastifyRequest, statusCode: number): void {
  const route = request.is404 ? undefined : request.routeOptions.config.meter
  if (route === undefined) countUnrouted(meter, statusCode)
  else route.counted(statusCode)
}

/** Counts an answer to a request without a route, or to bytes that are not a request, all under one name. */
export function countUnrouted(meter: RequestMeter, statusCode: number): void {
  meter.route('none').counted(statusCode)
}
