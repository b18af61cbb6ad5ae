import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { OverloadedError, ProofUnavailableError } from '../errors/apiErrors.ts'
import { localIdOfUid, type ChainId } from '../model/compositeId.ts'
import { zeroHash } from '../model/hex.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { ListFieldPaths } from '../model/fieldValues.ts'
import type { NameDeployment } from '../model/indexedContract.ts'
import type { OffchainVerifier } from '../model/offchainRecord.ts'
import type { ProveEvent } from '../model/recordProof.ts'
import { currentTimeMs, type UnixMilliseconds } from '../model/time.ts'
import type { ChangeJournal } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import { createFindKey, type ApiKey } from './access/apiKeys.ts'
import { checkAccess, createAccess, type Access, type AccessRules } from './access/createAccess.ts'
import type { ApiContext } from './addEndpoint.ts'
import { addHealthEndpoints } from './addHealthEndpoints.ts'
import { createBodies, type BodyLimits } from './bodies/readBodies.ts'
import { answerClientError } from './answerClientError.ts'
import { answerFirst } from './answers/answerFirst.ts'
import { createDirectRoutes } from './answers/directRoutes.ts'
import { createKeptAnswers } from './answers/keptAnswers.ts'
import { createVersionOfTurn } from './answers/versionOfTurn.ts'
import { answerUnrouted, badPathError, findRequestError } from './answerUnrouted.ts'
import { errorEnvelope } from './envelope.ts'
import {
  clientErrorMessage,
  errorAnswerOf,
  headersLengthMax,
  sendErrorAnswer,
  urlLengthMax,
} from './errorAnswer.ts'
import { addEventsEndpoint } from './events/addEventsEndpoint.ts'
import { createChangeStreams, type ChangeStreams, type EventLimits } from './events/createChangeStreams.ts'
import { createEasEndpoints } from './eas/addEasEndpoints.ts'
import type { ReadLimits } from './protocolGraphql/budget.ts'
import type { ProtocolOptions } from './protocolGraphql/protocolEndpoints.ts'
import type { EasProtocol } from './eas/easContext.ts'
import { createExplorerPages, type ExplorerPages } from './explorer/createExplorerPages.ts'
import type { ExplorerSource } from './explorer/explorerSource.ts'
import { createExportEndpoints, type ExportLimits } from './export/addExportEndpoints.ts'
import { createGraphqlEndpoint, type NoteFailure } from './graphql/addGraphqlEndpoint.ts'
import type { GraphqlLimits } from './graphql/limits.ts'
import { corsHeaders, jsonContentType } from './headers.ts'
import { checkMinimumVersion, minimumVersionHeader } from './indexVersion.ts'
import { answerInTurn } from './limits/answerInTurn.ts'
import { createClients, type Clients } from './limits/clients.ts'
import { limitConnections } from './limits/limitConnections.ts'
import {
  createRateLimiter,
  limitRates,
  windowSecondsDefault,
  type RateLimit,
  type RateLimiter,
} from './limits/limitRates.ts'
import { countUnhandled, countUnrouted, watchLoad, type LoadLimits } from './limits/meterRoutes.ts'
import type { CountRequest } from './limits/requestCounts.ts'
import { addMetricsEndpoint } from './metrics/addMetricsEndpoint.ts'
import type { Metrics } from './metrics/createMetrics.ts'
import { createRequestMeter, type RequestMeter } from './metrics/requestMeter.ts'
import { listRoutes, type ListedRoute } from './listRoutes.ts'
import { createMcpTools } from './mcp/createMcpTools.ts'
import type { McpTool } from './mcp/mcpTool.ts'
import type { VerifyProof } from './mcp/verifyProofTool.ts'
import { createFieldCheck } from './parameters/checkFields.ts'
import { createReference } from './reference/addReferenceEndpoints.ts'
import { addRestEndpoints } from './rest/addRestEndpoints.ts'
import { createVeraxEndpoints } from './verax/addVeraxEndpoints.ts'
import type { VeraxProtocol } from './verax/veraxContext.ts'
import { createRouteTable, type RouteTable } from './routeTable.ts'
import { createRecordWaits, type WaitLimits } from './waits/createRecordWaits.ts'

export interface ServerOptions {
  /** The index to serve. The caller closes the reader, after the server. */
  readonly reader: IndexReader
  /** The changes of the same index; without a journal, the server has no events. */
  readonly journal?: ChangeJournal
  readonly eventLimits?: Partial<EventLimits>
  readonly exportLimits?: Partial<ExportLimits>
  /** Whether there are exports; there are by default. */
  readonly hasExports?: boolean
  readonly waitLimits?: Partial<WaitLimits>
  /** Decodes the payloads of attestations; without it, every payload is undecodable. */
  readonly decodePayload?: DecodePayload
  /** Lists the fields that payloads are filtered by; without it, no schema has any. */
  readonly listFieldPaths?: ListFieldPaths
  /** What the endpoints that answer as easscan does need of EAS; without it, their paths do not exist. */
  readonly eas?: EasProtocol
  readonly easLimits?: Partial<ReadLimits>
  /** What the endpoints that answer as Verax's subgraph does need of Verax; without it, their paths do not exist. */
  readonly verax?: VeraxProtocol
  /** Makes proofs of events; without it, every proof is unavailable. */
  readonly proveEvent?: ProveEvent
  /** Verifies off-chain attestations; without it, none can be read. */
  readonly offchain?: OffchainVerifier
  /** Names the contracts of a chain; without it, they have the names of their protocols. */
  readonly nameDeployment?: NameDeployment
  /** The configured chains: `/readyz` waits for them even before their indexer has started. */
  readonly chainIds?: readonly ChainId[]
  /** Where failures (5xx) are logged; nowhere by default. */
  readonly logger?: Pick<FastifyBaseLogger, 'error'>
  /** Most bytes of memory for cached answers. */
  readonly keptBytesMax?: number
  /** The clock by which attestations expire and chains lag; the machine's by default. */
  readonly now?: () => UnixMilliseconds
  /** The limits of one GraphQL request that differ from the default. */
  readonly graphqlLimits?: Partial<GraphqlLimits>
  /** Counts the answers. */
  readonly meter?: RequestMeter
  /** The figures at `/metrics`; without them, the path does not exist. */
  readonly metrics?: Metrics
  /** The rate limit of each client; unlimited by default. */
  readonly rateLimit?: RateLimit
  /** The keys that the operator gave to clients; requests with other keys are those of nobody in particular. */
  readonly keys?: readonly ApiKey[]
  /** Who may ask what; everybody everything by default. */
  readonly access?: AccessRules
  /** Counts the requests of a client for several processes together. */
  readonly countRequest?: CountRequest
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client; by default the client is the peer. */
  readonly trustProxy?: readonly string[]
  readonly loadLimits?: Partial<LoadLimits>
  readonly bodyLimits?: Partial<BodyLimits>
  /** Most connections at the same time. */
  readonly connectionsMax?: number
  readonly timeouts?: Partial<Timeouts>
  /** The Model Context Protocol at `/mcp`; without it, the path does not exist. */
  readonly mcp?: { readonly verifyProof: VerifyProof }
  /** The web app at `/`; without it, its paths do not exist. */
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
  /** Without traffic while a request is answered; a client that reads nothing of its answer makes no traffic. */
  readonly idleMs: number
  /** How often the first two are checked. */
  readonly checkMs: number
}

export const keptBytesDefault = 64 * 1024 * 1024

/**
 * Idle connections live longer than the 60 s of common load balancers: the server must not close a connection first.
 */
const timeoutDefaults: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  idleMs: 60_000,
  checkMs: 2_000,
}

const noQuery = {}

/** How long requests in flight may take once the server is closing. */
const closeGraceMs = 1_000

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
  readonly access: Access | null
  readonly explorer: ExplorerPages | null
  readonly noteFailure: NoteFailure
}

/**
 * The HTTP server: REST, GraphQL, events, exports, health and the explorer, at `/` and at `/api`. The server does not
 * listen yet: call `listen`, or `inject` in tests.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const meter = options.meter ?? createRequestMeter()
  let routeTable: RouteTable | null = null
  const { reader, rateLimit, trustProxy, countRequest } = options
  const clients = createClients(trustProxy)
  const findKey = createFindKey(options.keys ?? [])
  const access = options.access === undefined ? null : createAccess(options.access, findKey, aliasPrefix)
  const isLimited =
    rateLimit !== undefined ||
    options.keys?.some(({ rate, cost }) => rate !== undefined || cost !== undefined) === true
  const limiterOptions = { windowSeconds: windowSecondsDefault, ...rateLimit, clients, findKey, countRequest }
  const parts: ServerParts = {
    options,
    context: createContext(options, meter, clients),
    meter,
    routeTable: () => (routeTable ??= createRouteTable(routes)),
    clients,
    limiter: isLimited ? createRateLimiter(limiterOptions) : null,
    access,
    explorer: options.explorer === undefined ? null : createExplorerPages(options.explorer, reader, meter),
    noteFailure: createFailureNotes(meter, options),
  }
  const app = createApp(parts)
  const { versionOfTurn, kept, begun } = parts.context
  const charge = (request: IncomingMessage, elapsedMs: number) => parts.limiter?.charge(request, elapsedMs)
  const load = watchLoad(app, meter, { ...options.loadLimits, aliasPrefix, begun, charge })
  const routes = listRoutes(app, load.meterRoute)
  app.addHook('onReady', (done) => {
    const { limiter } = parts
    const direct = createDirectRoutes(routes)
    answerFirst(app.server, { versionOfTurn, kept, routes: direct, meter, load, access, limiter, begun })
    answerInTurn(app.server)
    done()
  })
  limitConnections(app.server, clients.isProxy, options.connectionsMax)
  addRequestHooks(app, parts)
  addEndpoints(app, parts, routes)
  closeInTime(app)
  return app
}

function createContext(options: ServerOptions, meter: RequestMeter, clients: Clients): ApiContext {
  const { reader, journal, waitLimits = {} } = options
  return {
    waits: createRecordWaits({ reader, journal, meter, limits: waitLimits }),
    reader,
    decodePayload: options.decodePayload ?? decodeNothing,
    checkFields: createFieldCheck(options.reader, options.listFieldPaths ?? listNoPaths),
    proveEvent: options.proveEvent ?? proveNothing,
    offchain: options.offchain ?? verifyNothing,
    nameDeployment: options.nameDeployment ?? nameByProtocol,
    now: options.now ?? currentTimeMs,
    versionOfTurn: createVersionOfTurn(options.reader),
    kept: createKeptAnswers(options.keptBytesMax ?? keptBytesDefault),
    begun: new WeakMap(),
    bodies: createBodies(clients.of, options.bodyLimits),
  }
}

const decodeNothing: DecodePayload = () => ({
  kind: 'undecodable',
  reason: 'this server understands no payloads',
})

const nameByProtocol: NameDeployment = (_chainId, { protocol }) => protocol

const listNoPaths: ListFieldPaths = () => []

const proveNothing: ProveEvent = () =>
  Promise.reject(
    new ProofUnavailableError('This server is connected to no chain, so that it cannot make proofs.', {
      retryAfterSeconds: null,
    }),
  )

const unreadable = { kind: 'unreadable', reason: 'This server verifies no off-chain attestations' } as const

const verifyNothing: OffchainVerifier = {
  read: () => Promise.resolve(unreadable),
  check: () => Promise.resolve([]),
  privateDataSchema: localIdOfUid(zeroHash),
  readPrivateProof: () => unreadable,
}

/**
 * Fastify with our limits, and our answers to every error that Fastify or Node.js finds. Fastify gets no logger: with
 * one, each request has a logger and two listeners of its own, which cost as much as its routing.
 */
function createApp({ options, meter, routeTable, noteFailure }: ServerParts): FastifyInstance {
  const timeouts = { ...timeoutDefaults, ...options.timeouts }
  const app = fastify({
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: urlLengthMax,
      // `readParameters` reads the query of the URL.
      querystringParser: () => noQuery,
    },
    keepAliveTimeout: timeouts.keepAliveMs,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleMs,
    http: {
      maxHeaderSize: headersLengthMax,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // `findRequestError` answers a missing Host in the envelope.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => {
      const answer = errorAnswerOf(badPathError(routeTable(), request))
      countUnhandled(meter, request, answer.statusCode)
      void sendErrorAnswer(reply, answer)
    },
    clientErrorHandler: (error, socket) => {
      const statusCode = answerClientError(error, socket)
      if (statusCode !== null) countUnrouted(meter, statusCode)
    },
  })
  app.decorateReply('limitHeaders', null)
  app.setErrorHandler((error, request, reply) => {
    const answer = errorAnswerOf(error)
    noteFailure(request, error, answer.statusCode)
    return sendErrorAnswer(reply, answer)
  })
  app.server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, { ...corsHeaders, 'content-type': jsonContentType })
    response.end(errorEnvelope(417, clientErrorMessage(417)))
    countUnrouted(meter, 417)
  })
  return app
}

function createFailureNotes(meter: RequestMeter, { logger }: ServerOptions): NoteFailure {
  return (request, error, statusCode) => {
    countUnhandled(meter, request, statusCode)
    // The metrics count requests refused under overload: a log line for each would add to the load.
    // The maker of proofs logs its own failures.
    const isLoggedElsewhere = error instanceof OverloadedError || error instanceof ProofUnavailableError
    if (statusCode >= 500 && !isLoggedElsewhere) {
      logger?.error({ err: error, url: request.url }, 'a request failed')
    }
  }
}

/**
 * The checks that every request passes, in this order:
 * 1. its URL and its Host header;
 * 2. the limit of its client;
 * 3. whether its client, or the page that sent it, may ask;
 * 4. whether a route takes the request;
 * 5. whether the index has reached the version that it asks for.
 */
function addRequestHooks(
  app: FastifyInstance,
  { context, routeTable, meter, limiter, access, explorer }: ServerParts,
): void {
  app.addHook('onRequest', (request, _reply, done) => done(findRequestError(request) ?? undefined))
  if (limiter !== null) limitRates(app, limiter, context.begun)
  if (access !== null) checkAccess(app, access)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) {
      if (explorer?.answerUnrouted(request, reply) === true) return
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

type AddPart = (scope: FastifyInstance) => void

const noPart: AddPart = () => undefined

function addEndpoints(
  app: FastifyInstance,
  { options, context, meter, clients, explorer, noteFailure }: ServerParts,
  routes: readonly ListedRoute[],
): void {
  const reference = createReference(routes, aliasPrefix)
  const { reader, checkFields, now } = context
  const logFailure = (message: string) => (error: unknown) => options.logger?.error({ err: error }, message)
  const streams = createStreams(app, meter, options, context)
  const ofProtocol = <Protocol>(
    protocol: Protocol | undefined,
    create: (parts: ProtocolOptions<Protocol>) => AddPart,
    failure: string,
  ): AddPart => {
    if (protocol === undefined) return noPart
    const limits = options.easLimits ?? {}
    return create({ context, protocol, noteFailure, limits, onFailure: logFailure(failure) })
  }
  const addParts = [
    (scope: FastifyInstance) => {
      if (streams !== null) addEventsEndpoint(scope, streams, checkFields)
    },
    options.hasExports === false
      ? noPart
      : createExportEndpoints({
          reader,
          checkFields,
          now,
          limits: options.exportLimits ?? {},
          clientOf: clients.of,
          onFailure: logFailure('an export broke off'),
        }),
    createGraphqlEndpoint({
      context,
      streams,
      limits: options.graphqlLimits ?? {},
      noteFailure,
      onFailure: logFailure('a GraphQL request failed'),
    }),
    ofProtocol(options.eas, createEasEndpoints, 'a request to an EAS endpoint failed'),
    ofProtocol(options.verax, createVeraxEndpoints, 'a request to a Verax endpoint failed'),
  ]
  for (const prefix of ['', aliasPrefix]) {
    app.register(
      (scope, _options, done) => {
        addRestEndpoints(scope, context)
        for (const addPart of addParts) addPart(scope)
        addHealthEndpoints(scope, { reader, chainIds: options.chainIds ?? [] })
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
  addMcp(app, options, context, routes)
}

/** The streams of changes; null where the index has no journal. */
function createStreams(
  app: FastifyInstance,
  meter: RequestMeter,
  { journal, logger, eventLimits: limits = {} }: ServerOptions,
  { reader, decodePayload }: ApiContext,
): ChangeStreams | null {
  if (journal === undefined) return null
  const onFailure = (error: unknown) => logger?.error({ err: error }, 'changes cannot be read')
  return createChangeStreams(app, { reader, journal, decodePayload, meter, limits, onFailure })
}

/** Adds `/mcp`, if it is configured. */
function addMcp(
  app: FastifyInstance,
  { mcp, logger }: ServerOptions,
  context: ApiContext,
  routes: readonly ListedRoute[],
): void {
  if (mcp === undefined) return
  let made: readonly McpTool[] | null = null
  const tools = () => (made ??= createMcpTools(app, routes, mcp.verifyProof))
  app.register(async (scope) => {
    // Servers without the protocol do not load its SDK.
    const { addMcpEndpoint } = await import('./mcp/addMcpEndpoint.ts')
    addMcpEndpoint(scope, context, tools, (error) => logger?.error({ err: error }, 'a tool failed'))
  })
}

/** Connections that are still open some time after the server began to close are cut. */
function closeInTime(app: FastifyInstance): void {
  app.addHook('preClose', (done) => {
    setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref()
    done()
  })
}
