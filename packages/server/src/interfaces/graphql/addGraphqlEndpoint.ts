import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadParameterError, PersistedQueryNotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { ApiContext } from '../../apiContext.ts'
import { createUntaggedAnswer, type Answer } from '../../pipeline/answers/answer.ts'
import { addBodyParser } from '../../pipeline/bodies/readBodies.ts'
import { prefersPage } from '../../pipeline/answers/acceptHeader.ts'
import { sendFixedAnswer, type FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import { sendAnswer } from '../../pipeline/answers/sendAnswer.ts'
import { createEffort, type Effort } from '../../pipeline/effort/createEffort.ts'
import { errorAnswerOf, type NoteFailure } from '../../pipeline/errorAnswer.ts'
import type { BehindChain } from '../../pipeline/freshness/createFreshness.ts'
import { formatBehind, listBehind } from '../../pipeline/freshness/formatBehind.ts'
import { corsHeaders, revalidateCacheControl } from '../../pipeline/headers.ts'
import type { ReadChanges } from '../events/addChangesEndpoint.ts'
import type { ChangeStreams } from '../events/createChangeStreams.ts'
import { createExecutor, type Executor, type GraphqlOutcome, type GraphqlRequest } from './createExecutor.ts'
import { createGraphqlSchema, type GraphqlPart } from './createGraphqlSchema.ts'
import { graphiqlPage } from './graphiqlPage.ts'
import { present, type GraphqlErrorCode, type PresentedError } from './graphqlError.ts'
import { defaultGraphqlLimits, type GraphqlLimits } from './limits.ts'
import { negotiateMediaType, type GraphqlMediaType } from './negotiateMediaType.ts'
import { streamOperation } from './streamOperation.ts'
import { readPostedRequest, readUrlRequest } from './readGraphqlRequest.ts'
import { createRequestContext } from './requestContext.ts'

export interface GraphqlOptions {
  readonly context: ApiContext
  readonly noteFailure: NoteFailure
  /** The streams that subscriptions share with `/scan/events`; null if the index has no journal. */
  readonly streams: ChangeStreams | null
  /** Null if the index has no journal. */
  readonly readChanges: ReadChanges | null
  /** Types and fields of other packages. */
  readonly parts: readonly GraphqlPart[]
  /** Limits that differ from the default. */
  readonly limits: Partial<GraphqlLimits>
  /** Called with every error that is not the client's. */
  readonly onFailure: (error: unknown) => void
}

/**
 * The endpoint of one server, to be added under each of its bases.
 */
export function createGraphqlEndpoint({
  context,
  limits: givenLimits,
  noteFailure,
  streams,
  readChanges,
  parts,
  onFailure,
}: GraphqlOptions): (app: FastifyInstance) => void {
  const limits = { ...defaultGraphqlLimits, ...givenLimits }
  const executor = createExecutor({
    schema: createGraphqlSchema(parts),
    createEffort: () => createEffort({ sharesThread: context.reader.sharesThread, isEnded: () => false }),
    createContext: (_subject, effort) => createRequestContext({ ...context, readChanges }, effort),
    limits,
    onFailure,
  })
  const target: GraphqlTarget = {
    key: '',
    execute: (request, effort) => executor.execute(request, undefined, effort),
  }
  const endpoint: GraphqlEndpoint = {
    context,
    limits,
    noteFailure,
    url: '/graphql',
    page: graphiqlPage,
    targetOf: () => target,
    subscriptions: { executor, streams },
  }
  return (app) => addGraphqlEndpoint(app, endpoint)
}

export interface GraphqlEndpoint {
  readonly context: Pick<
    ApiContext,
    | 'reader'
    | 'clientOf'
    | 'querySlots'
    | 'versionOfTurn'
    | 'kept'
    | 'freshness'
    | 'checkOwnFields'
    | 'bodies'
    | 'documents'
  >
  readonly limits: GraphqlLimits
  readonly noteFailure: NoteFailure
  readonly url: string
  /** The page that a browser gets. */
  readonly page: () => Promise<FixedAnswer>
  /** @throws ApiError if the path of the request names nothing. */
  readonly targetOf: (request: FastifyRequest) => GraphqlTarget
  /** null if the schema has no subscriptions. */
  readonly subscriptions: { readonly executor: Executor; readonly streams: ChangeStreams | null } | null
}

/** The part of the index that the path of a request names. */
export interface GraphqlTarget {
  /** Begins the keys of cached answers; differs where the answer to the same document may differ. */
  readonly key: string
  readonly execute: (request: GraphqlRequest, effort: Effort) => Promise<GraphqlOutcome>
}

/** A request in the form that the cache and the executor need. */
interface Exchange {
  readonly mediaType: GraphqlMediaType
  readonly target: GraphqlTarget
  /** Equal for equal requests, and unlike any key of the other paths, which are URLs. */
  readonly key: string
  readonly read: () => GraphqlRequest
}

/**
 * GraphQL over HTTP at one URL, by the draft of May 2025: POST with JSON, GET, both media types of answers; and
 * GraphiQL for browsers. The protocol is short enough for our own code, and its audit suite is a test here.
 */
export function addGraphqlEndpoint(app: FastifyInstance, endpoint: GraphqlEndpoint): void {
  // A separate scope: body parser and form of errors differ from those of other paths.
  const { documents } = endpoint.context
  app.register((scope, _options, done) => {
    addBodyParser(scope, endpoint.context.bodies, { bytesMax: endpoint.limits.bodyBytes })
    scope.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply, endpoint))
    scope.route({
      method: 'POST',
      url: endpoint.url,
      handler: async (request, reply) => {
        const body = typeof request.body === 'string' ? request.body : ''
        if (isStreamed(request, endpoint, () => readPostedRequest(body, documents))) {
          return await stream(request, reply, endpoint, readPostedRequest(body, documents))
        }
        const mediaType = acceptedType(request.raw.headers.accept, reply)
        if (mediaType === null) return
        const target = endpoint.targetOf(request)
        await answer(request, reply, endpoint, {
          mediaType,
          target,
          key: `${mediaType} ${target.key}${body}`,
          read: () => readPostedRequest(body, documents),
        })
      },
    })
    scope.route({
      method: ['GET', 'HEAD'],
      url: endpoint.url,
      handler: async (request, reply) => {
        const { accept } = request.raw.headers
        if (prefersPage(accept)) return await sendFixedAnswer(request, reply, await endpoint.page())
        const url = request.raw.url ?? ''
        if (isStreamed(request, endpoint, () => readUrlRequest(url, documents))) {
          return await stream(request, reply, endpoint, readUrlRequest(url, documents))
        }
        const mediaType = acceptedType(accept, reply)
        if (mediaType === null) return
        await answer(request, reply, endpoint, {
          mediaType,
          target: endpoint.targetOf(request),
          key: `${mediaType} ${url}`,
          read: () => readUrlRequest(url, documents),
        })
      },
    })
    done()
  })
}

/**
 * Whether the answer is a stream: clients of `graphql-sse` accept nothing else, others (urql) accept a stream for a
 * subscription and JSON for a query.
 */
function isStreamed(
  { raw: { headers } }: FastifyRequest,
  { subscriptions }: GraphqlEndpoint,
  read: () => GraphqlRequest,
): boolean {
  const { accept } = headers
  if (subscriptions === null) return false
  if (accept === undefined || !/(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(accept)) return false
  return (
    negotiateMediaType(accept) === null || subscriptions.executor.subscribe(read()).kind === 'subscription'
  )
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  { subscriptions, context }: GraphqlEndpoint,
  sent: GraphqlRequest,
): Promise<void> {
  if (subscriptions === null) throw new TypeError('an endpoint without subscriptions streams nothing')
  const leave = await context.querySlots.enter(context.clientOf(request.raw))
  try {
    const effort = effortOf(reply, context)
    await streamOperation(
      request,
      reply,
      { ...subscriptions, checkFields: context.checkOwnFields, effort },
      sent,
    )
  } finally {
    leave()
  }
}

/** The effort of a request, which ends when its response is closed. */
function effortOf(
  { raw }: FastifyReply,
  { reader: { sharesThread } }: Pick<GraphqlEndpoint['context'], 'reader'>,
): Effort {
  return createEffort({ sharesThread, isEnded: () => raw.destroyed })
}

/** Writes the kept answer of the present index version to the raw response, or executes the request. */
async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { context }: GraphqlEndpoint,
  exchange: Exchange,
): Promise<void> {
  const { versionOfTurn, kept, freshness, querySlots, clientOf } = context
  const { key, mediaType } = exchange
  const version = await versionOfTurn()
  // Read before the records: the answer lacks no more than is said here.
  const state = await freshness.at(version)
  let found = kept.find(key, version)
  if (found === undefined) {
    const entered = querySlots.enter(clientOf(request.raw))
    const leave = entered instanceof Promise ? await entered : entered
    try {
      found = await execute(request, reply, context, exchange)
    } finally {
      leave()
    }
  }
  if (found === undefined) return
  const behind = await state.behind(found.about)
  const sent = { key, ownHeaders: null, behind: formatBehind(behind) }
  if (behind.length === 0) return await sendAnswer(request, reply, { answer: found, ...sent }, kept)
  const told = createUntaggedAnswer(
    withExtension(found.plain.content, behind),
    found.version,
    baseHeaders[mediaType],
  )
  await sendAnswer(request, reply, { answer: told, ...sent }, null)
}

/** The text of an executed query that also says which chains are behind. */
function withExtension(text: string, behind: readonly BehindChain[]): string {
  const extensions = JSON.stringify({ attestry: { behind: listBehind(behind) } })
  return `${text.slice(0, -1)},"extensions":${extensions}}`
}

/** The answer to a request, which is kept where it may be; undefined if the request is refused. */
async function execute(
  request: FastifyRequest,
  reply: FastifyReply,
  context: GraphqlEndpoint['context'],
  { mediaType, target, key, read }: Exchange,
): Promise<Answer | undefined> {
  const { reader, versionOfTurn, kept } = context
  const version = await versionOfTurn()
  const effort = effortOf(reply, context)
  const paused = effort.pause()
  if (paused !== undefined) await paused
  const outcome = await target.execute(read(), effort)
  if (outcome.kind === 'refused') {
    const isByGet = request.method !== 'POST' && outcome.isMutation === true
    if (isByGet) reply.header('allow', 'POST')
    await sendErrors(reply, mediaType, isByGet ? 405 : refusalStatus[mediaType], outcome.errors)
    return undefined
  }
  const found = createUntaggedAnswer(outcome.text, version, baseHeaders[mediaType], outcome.about)
  // An answer is valid for an index version if the version was the same before and after the read.
  if (outcome.mayBeKept && kept.admits(key) && (await reader.indexVersion()) === version) {
    kept.keep(key, version, found)
  }
  return found
}

/** The older media type leaves 4xx to the transport: its clients read no body with them (GraphQL over HTTP, 6.4.1). */
const refusalStatus: Readonly<Record<GraphqlMediaType, number>> = {
  'application/json': 200,
  'application/graphql-response+json': 400,
}

/** Headers of answers by media type, names and values in turn. */
const baseHeaders: Readonly<Record<GraphqlMediaType, readonly string[]>> = {
  'application/json': headersFor('application/json'),
  'application/graphql-response+json': headersFor('application/graphql-response+json'),
}

function headersFor(mediaType: GraphqlMediaType): readonly string[] {
  return Object.entries({
    'content-type': `${mediaType}; charset=utf-8`,
    'cache-control': revalidateCacheControl,
    vary: 'accept, accept-encoding',
    ...corsHeaders,
  }).flat()
}

/** The media type of the answer; a request that accepts none is answered with 406 at once. */
function acceptedType(accept: string | undefined, reply: FastifyReply): GraphqlMediaType | null {
  const mediaType = negotiateMediaType(accept)
  if (mediaType === null) {
    const message = 'Answers are application/json or application/graphql-response+json; accept one of them.'
    void sendErrors(reply, 'application/json', 406, [present('BAD_REQUEST', message)])
  }
  return mediaType
}

/** Errors about the request as such: they look as GraphQL's do, and have the status of HTTP. */
function sendError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { limits, noteFailure }: GraphqlEndpoint,
): FastifyReply {
  const { statusCode, message, headers } = errorAnswerOf(error)
  noteFailure(request, error, statusCode)
  const mediaType = negotiateMediaType(request.raw.headers.accept) ?? 'application/json'
  reply.headers(headers)
  if (statusCode === 413) {
    const maximum = limits.bodyBytes
    const text = `The body has more than ${maximum.toLocaleString('en')} bytes; send a shorter document.`
    const facts = { limit: 'bodyBytes', maximum }
    return sendErrors(reply, mediaType, statusCode, [present('LIMIT_EXCEEDED', text, facts)])
  }
  return sendErrors(reply, mediaType, statusCode, [present(codeOf(error, statusCode), message)])
}

function codeOf(error: unknown, statusCode: number): GraphqlErrorCode {
  // Of an argument of a subscription: those of a query are errors of its field.
  if (error instanceof BadParameterError) return 'BAD_USER_INPUT'
  if (error instanceof PersistedQueryNotFoundError) return 'PERSISTED_QUERY_NOT_FOUND'
  if (statusCode === 503) return 'SERVICE_UNAVAILABLE'
  return statusCode >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST'
}

function sendErrors(
  reply: FastifyReply,
  mediaType: GraphqlMediaType,
  statusCode: number,
  errors: readonly (PresentedError | { readonly message: string })[],
): FastifyReply {
  return reply
    .code(statusCode)
    .headers({ ...corsHeaders, 'content-type': `${mediaType}; charset=utf-8`, 'cache-control': 'no-store' })
    .send(JSON.stringify({ errors }))
}
