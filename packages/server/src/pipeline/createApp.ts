import fastify, { type FastifyInstance } from 'fastify'
import { answerClientError } from './answerClientError.ts'
import { badPathError } from './answerUnrouted.ts'
import { errorEnvelope } from './envelope.ts'
import {
  clientErrorMessage,
  errorAnswerOf,
  headersLengthMax,
  type NoteFailure,
  sendErrorAnswer,
  urlLengthMax,
} from './errorAnswer.ts'
import { corsHeaders, jsonContentType } from './headers.ts'
import { countUnhandled, countUnrouted } from './limits/meterRoutes.ts'
import type { RequestMeter } from './metrics/requestMeter.ts'
import type { RouteTable } from './routeTable.ts'

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

interface AppParts {
  /** Timeouts that differ from the default. */
  readonly timeouts: Partial<Timeouts>
  readonly meter: RequestMeter
  readonly noteFailure: NoteFailure
  /** The table of the routes, once the server is ready. */
  readonly routeTable: () => RouteTable
}

function noCompiler(): never {
  throw new TypeError('a route with a schema of Fastify’s has no compiler')
}

/**
 * Fastify with our limits, and our answers to every error that Fastify or Node.js finds. Fastify gets no logger: with
 * one, each request has a logger and two listeners of its own, which cost as much as its routing.
 */
export function createApp({ meter, routeTable, noteFailure, ...parts }: AppParts): FastifyInstance {
  const timeouts = { ...timeoutDefaults, ...parts.timeouts }
  const app = fastify({
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: urlLengthMax,
      // `readParameters` reads the query of the URL.
      querystringParser: () => noQuery,
    },
    // No route has a schema of Fastify's: without compilers given, Fastify loads Ajv and fast-json-stringify.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
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
  closeInTime(app)
  return app
}

/** Connections that are still open some time after the server began to close are cut. */
function closeInTime(app: FastifyInstance): void {
  app.addHook('preClose', (done) => {
    setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref()
    done()
  })
}
