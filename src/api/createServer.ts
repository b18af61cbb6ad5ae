import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import {
  BadRequestError,
  MethodNotAllowedError,
  NotFoundError,
  OverloadedError,
  ProofUnavailableError,
  UrlTooLongError,
} from '../errors/apiErrors.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { ProveEvent } from '../model/recordProof.ts'
import { currentTimeMs, type UnixMilliseconds } from '../model/time.ts'
import type { ChangeJournal, IndexQueries } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { ApiContext } from './addEndpoint.ts'
import { addHealthEndpoints } from './addHealthEndpoints.ts'
import { answerClientError } from './answerClientError.ts'
import { answerKeptFirst } from './answers/answerKeptFirst.ts'
import { createKeptAnswers } from './answers/keptAnswers.ts'
import {
  clientErrorMessage,
  errorAnswerOf,
  headersLengthMax,
  sendErrorAnswer,
  urlLengthMax,
} from './errorAnswer.ts'
import { errorEnvelope } from './envelope.ts'
import { createEventsEndpoint, type EventLimits } from './events/addEventsEndpoint.ts'
import { createExplorerPages, type ExplorerPages } from './explorer/createExplorerPages.ts'
import type { ExplorerSource } from './explorer/explorerSource.ts'
import { createExportEndpoints, type ExportLimits } from './export/addExportEndpoints.ts'
import { createGraphqlEndpoint, type NoteFailure } from './graphql/addGraphqlEndpoint.ts'
import type { GraphqlLimits } from './graphql/limits.ts'
import { corsHeaders, jsonContentType, preflightHeaders } from './headers.ts'
import { limitRates, type RateLimit } from './limits/limitRates.ts'
import type { CountRequest } from './limits/requestCounts.ts'
import { countUnhandled, countUnrouted, meterRoutes, type LoadLimits } from './limits/meterRoutes.ts'
import { addMetricsEndpoint } from './metrics/addMetricsEndpoint.ts'
import type { Metrics } from './metrics/createMetrics.ts'
import { createRequestMeter, type RequestMeter } from './metrics/requestMeter.ts'
import { decodeQueryText } from './parameters/readParameters.ts'
import { quoteInput } from './quoteInput.ts'
import { addActivityEndpoints } from './rest/addActivityEndpoints.ts'
import { addAddressEndpoints } from './rest/addAddressEndpoints.ts'
import { addAttestationEndpoints } from './rest/addAttestationEndpoints.ts'
import { addChainEndpoint } from './rest/addChainEndpoint.ts'
import { addListEndpoints } from './rest/addListEndpoints.ts'
import { addProofEndpoints } from './rest/addProofEndpoints.ts'
import { addSchemaEndpoints } from './rest/addSchemaEndpoints.ts'
import { addSearchEndpoint } from './rest/addSearchEndpoint.ts'
import { addSdkEndpoints } from './sdk/addSdkEndpoints.ts'
import { createReference } from './reference/addReferenceEndpoints.ts'
import { createRouteTable, type RouteTable } from './routeTable.ts'

export interface ServerOptions {
  /** The index that is served. The caller closes it, after the server. */
  readonly reader: IndexReader
  /** The same index by its further reads. */
  readonly queries: IndexQueries
  /** The same index by what changes in it; without it, no events are served. */
  readonly journal?: ChangeJournal
  readonly eventLimits?: Partial<EventLimits>
  readonly exportLimits?: Partial<ExportLimits>
  /** What understands the payloads of attestations; without it, none is understood. */
  readonly decodePayload?: DecodePayload
  /** What makes proofs of events; without it, none is made. */
  readonly proveEvent?: ProveEvent
  /** Chains that `/readyz` waits for even before their indexer has told of them: those of the configuration. */
  readonly chainIds?: readonly ChainId[]
  /** Where failures (5xx) are logged; nowhere by default. */
  readonly logger?: FastifyBaseLogger
  /** Most bytes of memory for answers that are kept until the index moves. */
  readonly keptBytesMax?: number
  /** The clock by which attestations expire and chains lag; the machine's by default. */
  readonly now?: () => UnixMilliseconds
  /** What one GraphQL request may ask for, where it is not the default. */
  readonly graphqlLimits?: Partial<GraphqlLimits>
  /** Counts what is answered. */
  readonly meter?: RequestMeter
  /** What `/metrics` tells; without it, there is nothing at that path. */
  readonly metrics?: Metrics
  /** How often each client may ask; without it, as often as it likes. */
  readonly rateLimit?: RateLimit
  /** What counts the requests of a client where other processes are asked by it too. */
  readonly countRequest?: CountRequest
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client; without them, it is who connects. */
  readonly trustProxy?: readonly string[]
  readonly loadLimits?: Partial<LoadLimits>
  readonly timeouts?: Partial<Timeouts>
  /** The web app at `/`; without it, there is nothing there. */
  readonly explorer?: ExplorerSource
}

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** From the connection, or the first byte of a further request, to the end of the headers. */
  readonly headersMs: number
  /** To the end of the request. */
  readonly requestMs: number
  /** Between two requests. */
  readonly keepAliveMs: number
  /** Between two signs of life of the connection while it is answered: taking nothing of the answer is none. */
  readonly idleMs: number
  /** How often the first two are looked at. */
  readonly checkMs: number
}

export const keptBytesDefault = 64 * 1024 * 1024

/** Idle connections are kept for longer than the 60 s of common load balancers: the nearer end must not close first. */
const timeoutDefaults: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  idleMs: 60_000,
  checkMs: 2_000,
}

/** How long requests in flight may take once the server is closing. */
const closeGraceMs = 1_000

/**
 * The HTTP server: the REST interface at `/` and alike at `/api`, and the health endpoints. It is not listening yet; call
 * `listen`, or `inject` in tests.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const routes = createRouteTable()
  const meter = options.meter ?? createRequestMeter()
  const timeouts = { ...timeoutDefaults, ...options.timeouts }
  const app = fastify({
    ...(options.logger === undefined ? {} : { loggerInstance: options.logger }),
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: urlLengthMax },
    keepAliveTimeout: timeouts.keepAliveMs,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleMs,
    trustProxy: options.trustProxy === undefined ? false : [...options.trustProxy],
    http: {
      maxHeaderSize: headersLengthMax,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // A missing Host is answered by the guard, in the envelope.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => {
      const answer = errorAnswerOf(badPathError(routes, request))
      countUnhandled(meter, request, answer.statusCode)
      void sendErrorAnswer(reply, answer)
    },
    clientErrorHandler: (error, socket) => {
      const statusCode = answerClientError(error, socket)
      if (statusCode !== null) countUnrouted(meter, statusCode)
    },
  })
  app.addHook('onRoute', ({ url, method }) => routes.add(url, [method].flat()))
  const reference = createReference('/api')
  reference.collectRoutes(app)
  const load = meterRoutes(app, meter, { ...options.loadLimits, aliasPrefix: '/api' })
  const noteFailure: NoteFailure = (request, error, statusCode) => {
    countUnhandled(meter, request, statusCode)
    // Of overload the figures tell: a line for each refused request would be more load.
    // Whoever makes proofs logs why it cannot.
    const isTold = error instanceof OverloadedError || error instanceof ProofUnavailableError
    if (statusCode >= 500 && !isTold) request.log.error({ err: error, url: request.url }, 'a request failed')
  }
  app.setErrorHandler((error, request, reply) => {
    const answer = errorAnswerOf(error)
    noteFailure(request, error, answer.statusCode)
    return sendErrorAnswer(reply, answer)
  })
  app.addHook('preClose', (done) => {
    setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref()
    done()
  })
  app.server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, { ...corsHeaders, 'content-type': jsonContentType })
    response.end(errorEnvelope(417, clientErrorMessage(417)))
    countUnrouted(meter, 417)
  })

  const context: ApiContext = {
    reader: options.reader,
    queries: options.queries,
    decodePayload: options.decodePayload ?? decodeNothing,
    proveEvent: options.proveEvent ?? proveNothing,
    now: options.now ?? currentTimeMs,
    kept: createKeptAnswers(options.keptBytesMax ?? keptBytesDefault),
  }
  // Who asks how often is known to the routes alone.
  if (options.rateLimit === undefined) answerKeptFirst(app.server, context, load)
  else limitRates(app, options.rateLimit, options.countRequest)
  const explorer =
    options.explorer === undefined ? null : createExplorerPages(options.explorer, options.reader, meter)
  // Behind the limit of rates, which holds for what no route takes as well.
  app.after(() => app.addHook('onRequest', createGuard(routes, meter, explorer)))
  const health = { reader: options.reader, chainIds: options.chainIds ?? [] }
  const addEvents = createEvents(app, meter, options)
  const addExports = createExportEndpoints({
    reader: context.reader,
    queries: context.queries,
    now: context.now,
    limits: options.exportLimits ?? {},
    onFailure: (error) => app.log.error({ err: error }, 'an export broke off'),
  })
  const addGraphql = createGraphqlEndpoint({
    context,
    limits: options.graphqlLimits ?? {},
    noteFailure,
    onFailure: (error) => app.log.error({ err: error }, 'a GraphQL request failed'),
  })
  for (const prefix of ['', '/api']) {
    app.register(
      (scope, _options, done) => {
        addRestEndpoints(scope, context)
        addEvents(scope)
        addExports(scope)
        addGraphql(scope)
        addHealthEndpoints(scope, health)
        reference.addEndpoints(scope)
        done()
      },
      { prefix },
    )
  }
  app.register((scope, _options, done) => {
    explorer?.addRoutes(scope)
    done()
  })
  addMetricsEndpoint(app, options.metrics)
  return app
}

const decodeNothing: DecodePayload = () => ({
  kind: 'undecodable',
  reason: 'this server understands no payloads',
})

const proveNothing: ProveEvent = () =>
  Promise.reject(
    new ProofUnavailableError('This server is connected to no chain, so that it cannot make proofs.', {
      retryAfterSeconds: null,
    }),
  )

function addRestEndpoints(app: FastifyInstance, context: ApiContext): void {
  addListEndpoints(app, context)
  addSchemaEndpoints(app, context)
  addAttestationEndpoints(app, context)
  addProofEndpoints(app, context)
  addAddressEndpoints(app, context)
  addSearchEndpoint(app, context)
  addActivityEndpoints(app, context)
  addChainEndpoint(app, context)
  addSdkEndpoints(app, context)
}

function createEvents(
  app: FastifyInstance,
  meter: RequestMeter,
  options: ServerOptions,
): (scope: FastifyInstance) => void {
  const { reader, journal, eventLimits = {} } = options
  if (journal === undefined) return () => undefined
  const onFailure = (error: unknown) => app.log.error({ err: error }, 'changes cannot be read')
  return createEventsEndpoint(app, { reader, journal, meter, limits: eventLimits, onFailure })
}

type Guard = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/**
 * What every request passes first. Requests that no route takes are answered here, before their bodies are looked at: with
 * 405 whatever body they carry.
 */
function createGuard(routes: RouteTable, meter: RequestMeter, explorer: ExplorerPages | null): Guard {
  return (request, reply, done) => {
    const { raw } = request
    const url = raw.url ?? ''
    if (url.length > urlLengthMax) done(new UrlTooLongError(clientErrorMessage(414)))
    else if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(missingHostError())
    else if (!request.is404) done()
    else if (explorer?.answerUnrouted(request, reply) !== true)
      answerUnrouted({ routes, meter }, request, reply, done)
  }
}

function answerUnrouted(
  { routes, meter }: { readonly routes: RouteTable; readonly meter: RequestMeter },
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error: Error) => void,
): void {
  const { method } = request
  const url = request.raw.url ?? ''
  const found = routes.find(url)
  const allowed = [...new Set([...(found?.methods ?? ['GET', 'HEAD']), 'OPTIONS'])]
  // A preflight asks about the origin, not about the path: were it refused, the page would never see the 404.
  const isPreflight = request.headers['access-control-request-method'] !== undefined
  if (method === 'OPTIONS' && (found !== null || url === '*' || isPreflight)) {
    const allow = allowed.join(', ')
    void reply
      .code(204)
      .headers({ ...corsHeaders, ...preflightHeaders, allow, 'access-control-allow-methods': allow })
      .send()
    countUnrouted(meter, 204)
  } else if (found !== null) {
    const message = `${quoteInput(method)} is not allowed on this path; use ${allowed.join(', ')}.`
    done(new MethodNotAllowedError(message, allowed))
  } else {
    done(
      new NotFoundError(
        `There is nothing at ${quoteInput(url.replace(/[?#].*$/s, ''))}; the paths begin with /scan.`,
      ),
    )
  }
}

/** The error for a path that the router could not decode; it names the parameter that is to blame where there is one. */
function badPathError(routes: RouteTable, request: FastifyRequest): Error {
  const url = request.raw.url ?? ''
  if (url.length > urlLengthMax) return new UrlTooLongError(clientErrorMessage(414))
  const parameters = Object.entries(routes.find(url)?.rawParameters ?? {})
  const name = parameters.find(([, raw]) => decodeQueryText(raw) === null)?.[0] ?? 'The path'
  return new BadRequestError(`${name} is not percent-encoded UTF-8; encode it as encodeURIComponent does.`)
}

function missingHostError(): Error {
  return new BadRequestError('The Host header is missing; HTTP/1.1 requires it.')
}
