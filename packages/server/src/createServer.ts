import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OverloadedError, ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import { createFindKey } from './pipeline/access/apiKeys.ts'
import { createAccess, type Access } from './pipeline/access/createAccess.ts'
import type { ApiContext } from './apiContext.ts'
import { addHealthEndpoints } from './interfaces/rest/addHealthEndpoints.ts'
import { addEventsEndpoint, contentEvents, indexEvents } from './interfaces/events/addEventsEndpoint.ts'
import { addChangesEndpoint, createReadChanges } from './interfaces/events/addChangesEndpoint.ts'
import { createContentJournal } from './interfaces/events/contentJournal.ts'
import { createChangeStreams, type ChangeStreams } from './interfaces/events/createChangeStreams.ts'
import { addBadgeEndpoint } from './interfaces/badge/addBadgeEndpoint.ts'
import type { NoteFailure } from './pipeline/errorAnswer.ts'
import { createGraphqlEndpoint } from './interfaces/graphql/addGraphqlEndpoint.ts'
import { answerInTurn } from './pipeline/limits/answerInTurn.ts'
import { createFindAsker } from './pipeline/limits/findAsker.ts'
import { createClients, type Clients } from './pipeline/limits/clients.ts'
import { limitConnections } from './pipeline/limits/limitConnections.ts'
import { createRateLimiter, windowSecondsDefault, type RateLimiter } from './pipeline/limits/limitRates.ts'
import { countUnhandled, watchLoad } from './pipeline/limits/meterRoutes.ts'
import { addMetricsEndpoint } from './pipeline/metrics/addMetricsEndpoint.ts'
import type { RequestMeter } from './pipeline/metrics/requestMeter.ts'
import { listRoutes, type ListedRoute } from './pipeline/listRoutes.ts'
import { createReference } from './pipeline/reference/addReferenceEndpoints.ts'
import { addRestEndpoints } from './interfaces/rest/addRestEndpoints.ts'
import { createRouteTable, type RouteTable } from './pipeline/routeTable.ts'
import { checkRequests } from './pipeline/checkRequests.ts'
import { createApp } from './pipeline/createApp.ts'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { createContext } from './createContext.ts'
import type { ServerOptions } from './serverOptions.ts'
import type { Pages, ServerParts as WingParts } from './wing.ts'

/** The base that clients of the original service use; every path answers under it as well. */
const aliasPrefix = '/api'

/** The parts that the endpoints of one server share. */
interface ServerParts {
  readonly options: ServerOptions
  readonly context: ApiContext
  readonly meter: RequestMeter
  /** The table of the routes, once the server is ready. */
  readonly routeTable: () => RouteTable
  readonly clients: Clients
  readonly limiter: RateLimiter | null
  readonly access: Access
  readonly noteFailure: NoteFailure
}

/**
 * The HTTP server: REST, GraphQL, events, exports, health and the explorer, at `/` and at `/api`. The server does not
 * listen yet: call `listen`, or `inject` in tests.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  let routeTable: RouteTable | null = null
  const { meter, clients: rules, limits = {} } = options
  const { keys, rateLimit, countRequest } = rules
  const clients = createClients(rules.trustProxy)
  const findKey = createFindKey(keys)
  const access = createAccess(rules.access, findKey, aliasPrefix)
  const isLimited =
    rateLimit !== undefined || keys.some(({ rate, cost }) => rate !== undefined || cost !== undefined)
  const limiterOptions = { windowSeconds: windowSecondsDefault, ...rateLimit, clients, findKey, countRequest }
  const askerOf = createFindAsker(clients, findKey)
  const context = createContext(options, askerOf)
  const parts: ServerParts = {
    options,
    context,
    meter,
    routeTable: () => (routeTable ??= createRouteTable(routes)),
    clients,
    limiter: isLimited ? createRateLimiter(limiterOptions) : null,
    access,
    noteFailure: createFailureNotes(meter, options),
  }
  const app = createApp({ ...parts, timeouts: limits.timeouts ?? {} })
  const charge = (request: IncomingMessage, elapsedMs: number) => parts.limiter?.charge(request, elapsedMs)
  const meterRoute = watchLoad(app, meter, { ...limits.load, aliasPrefix, charge, askerOf })
  const routes = listRoutes(app, meterRoute)
  app.addHook('onReady', (done) => {
    answerInTurn(app.server)
    done()
  })
  limitConnections(app.server, clients.isProxy)
  let pages: readonly Pages[] = []
  const answerUnknown = (request: FastifyRequest, reply: FastifyReply) =>
    pages.some((each) => each.answerUnrouted(request, reply))
  checkRequests(app, { ...parts, answerUnknown })
  pages = addEndpoints(app, parts, routes)
  return app
}

function addEndpoints(
  app: FastifyInstance,
  { options, context, meter, access, noteFailure }: ServerParts,
  routes: readonly ListedRoute[],
): readonly Pages[] {
  const { reader } = context
  const { journal } = options
  const { anonymous, private: hidden } = options.clients.access
  const reference = createReference(anonymous && !('scan' in hidden) ? reader : null, routes, aliasPrefix)
  const logFailure = (message: string) => (error: unknown) => options.logger.error({ err: error }, message)
  const streams = createStreams(app, meter, options, context)
  const contentStreams = createContentStreams(app, meter, options, context)
  const wingParts: WingParts = {
    app,
    routes,
    meter,
    access,
    tools: options.wings.flatMap(({ tools = [] }) => tools),
    context,
    noteFailure,
    logFailure,
  }
  const addParts = [
    (scope: FastifyInstance) => {
      if (streams !== null) addEventsEndpoint(scope, indexEvents, streams, context)
      if (streams !== null && journal !== undefined)
        addChangesEndpoint(scope, streams, { ...context, journal })
      if (contentStreams !== null) addEventsEndpoint(scope, contentEvents, contentStreams, context)
    },
    createGraphqlEndpoint({
      context,
      streams,
      readChanges:
        streams === null || journal === undefined
          ? null
          : createReadChanges(streams, { ...context, journal }),
      parts: options.wings.flatMap(({ graphql }) => graphql ?? []),
      limits: options.limits?.graphql ?? {},
      noteFailure,
      onFailure: logFailure('a GraphQL request failed'),
    }),
    ...options.wings.flatMap((wing) => wing.endpoints?.(wingParts) ?? []),
  ]
  for (const prefix of ['', aliasPrefix]) {
    app.register(
      (scope, _options, done) => {
        addRestEndpoints(scope, context)
        addBadgeEndpoint(scope, context)
        for (const addPart of addParts) addPart(scope)
        addHealthEndpoints(scope, { reader, chainIds: options.chainIds })
        reference.addEndpoints(scope)
        done()
      },
      { prefix },
    )
  }
  reference.addRootEndpoints(app)
  const pages = options.wings.flatMap((wing) => wing.pages?.(wingParts) ?? [])
  app.register((scope, _options, done) => {
    for (const each of pages) each.addRoutes(scope)
    done()
  })
  addMetricsEndpoint(app, options.metrics)
  for (const wing of options.wings) wing.rootEndpoints?.(wingParts)(app)
  return pages
}

/** The streams of changes; null if the index has no journal. */
function createStreams(
  app: FastifyInstance,
  meter: RequestMeter,
  { journal, logger, limits: { events: limits = {} } = {} }: ServerOptions,
  { reader, decodePayload, tail }: ApiContext,
): ChangeStreams | null {
  if (journal === undefined) return null
  const onFailure = (error: unknown) => logger.error({ err: error }, 'changes cannot be read')
  const formTail = createJournalTail({ journal, version: () => reader.indexVersion(), onFailure })
  return createChangeStreams(app, { reader, journal, tail, formTail, decodePayload, meter, limits })
}

/** The stream of content that becomes known, where content is fetched. */
function createContentStreams(
  app: FastifyInstance,
  meter: RequestMeter,
  { logger, limits: { events: limits = {} } = {} }: ServerOptions,
  { reader, decodePayload, content }: ApiContext,
): ChangeStreams | null {
  if (content === null) return null
  const journal = createContentJournal(reader, decodePayload, content)
  const version = async () => (await content.newestArrival()).sequence
  const onFailure = (error: unknown) => logger.error({ err: error }, 'arrivals of content cannot be read')
  const tail = createJournalTail({ journal, version, onFailure })
  return createChangeStreams(app, { reader, journal, tail, formTail: tail, decodePayload, meter, limits })
}

function createFailureNotes(meter: RequestMeter, { logger }: ServerOptions): NoteFailure {
  return (request, error, statusCode) => {
    countUnhandled(meter, request, statusCode)
    // The metrics count requests refused under overload: a log line for each would add to the load.
    // The maker of proofs logs its own failures.
    const isLoggedElsewhere = error instanceof OverloadedError || error instanceof ProofUnavailableError
    if (statusCode >= 500 && !isLoggedElsewhere) {
      logger.error({ err: error, url: request.url }, 'a request failed')
    }
  }
}
