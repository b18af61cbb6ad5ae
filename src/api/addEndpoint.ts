import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from '../errors/apiErrors.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { OffchainVerifier } from '../model/offchainRecord.ts'
import type { ProveEvent } from '../model/recordProof.ts'
import type { UnixMilliseconds } from '../model/time.ts'
import type { IndexQueries } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import {
  createAnswer,
  encodeAnswer,
  notModifiedHeaders,
  type Answer,
  type CompressedBody,
  type PlainBody,
} from './answers/answer.ts'
import type { KeptAnswers } from './answers/keptAnswers.ts'
import { matchesEtag } from './answers/matchesEtag.ts'
import { negotiateEncoding, type ContentCoding } from './answers/negotiateEncoding.ts'
import type { Endpoint, Wait } from './endpoint.ts'
import { successEnvelope } from './envelope.ts'
import { formatVersion, versionHeader } from './indexVersion.ts'
import type { CheckFields } from './parameters/checkFields.ts'
import type { ParameterSet, ParameterValues } from './parameters/parameter.ts'
import { createParameterReader } from './parameters/readParameters.ts'
import type { RecordWaits } from './waits/createRecordWaits.ts'

/** The parts that the endpoints of one server share. */
export interface ApiContext {
  readonly reader: IndexReader
  readonly queries: IndexQueries
  readonly decodePayload: DecodePayload
  readonly checkFields: CheckFields
  readonly proveEvent: ProveEvent
  readonly offchain: OffchainVerifier
  readonly now: () => UnixMilliseconds
  readonly kept: KeptAnswers
  readonly waits: RecordWaits
}

/** How much longer than its wait a connection may be silent. */
const silentSeconds = 10

/**
 * Adds an endpoint to the server, for GET and HEAD. Answers are written to the raw response: Fastify's own `send` would
 * inspect each header and the body once more, a cost that hot answers avoid.
 */
export function addEndpoint<const Set extends ParameterSet>(
  app: FastifyInstance,
  context: ApiContext,
  endpoint: Endpoint<Set>,
): void {
  const { kept } = context
  const { path, summary, parameters, data } = endpoint
  const readParameters = createParameterReader(parameters)
  app.route<{ Params: Record<string, string> }>({
    method: ['GET', 'HEAD'],
    url: path,
    config: { operation: { summary, parameters, data } },
    handler: async (request, reply) => {
      const { raw, params } = request
      const url = raw.url ?? ''
      const values = once(() => readParameters(params, url))
      const find = () => findAnswer(context, endpoint, { request, reply }, values)
      const { version, answer } =
        endpoint.wait === undefined
          ? await find()
          : await findInTime(context.waits, reply.raw, () => endpoint.wait?.(values()), find)
      const { headers } = raw
      if (matchesEtag(headers['if-none-match'], answer.etag)) {
        reply.hijack()
        reply.raw.writeHead(304, notModifiedHeaders(answer.etag, version)).end()
        return
      }
      const coding = negotiateEncoding(headers['accept-encoding'])
      const body = coding === 'identity' ? answer.plain : await encodeKept(kept, url, answer, coding)
      reply.hijack()
      reply.raw.writeHead(200, body.headers).end(body.content)
    },
  })
}

/** An answer, and the index version that it is at least as new as. */
interface VersionedAnswer {
  readonly version: number
  readonly answer: Answer
}

/** The cached answer of the present version, or else a new one. */
async function findAnswer<Set extends ParameterSet>(
  context: ApiContext,
  endpoint: Endpoint<Set>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  values: () => ParameterValues<Set>,
): Promise<VersionedAnswer> {
  const { reader, kept } = context
  const { url = '' } = request.raw
  const version = await reader.indexVersion()
  const known = kept.find(url, version)
  if (known !== undefined) return { version, answer: known }
  // The answer to an error has the header as well.
  reply.header(versionHeader, formatVersion(version))
  const found = await endpoint.answer(reader, values(), url)
  const { dataJson, link, followsClock } =
    typeof found === 'string' ? { dataJson: found, link: null, followsClock: false } : found
  const answer = createAnswer(successEnvelope(dataJson), version, link)
  if (!followsClock) await keepAnswer(context, request, version, answer)
  return { version, answer }
}

/** Looks for an answer until its record is there, or the time that the client waits is over. */
async function findInTime(
  waits: RecordWaits,
  response: ServerResponse,
  waitOf: () => Wait | undefined,
  find: () => Promise<VersionedAnswer>,
): Promise<VersionedAnswer> {
  let endMs: number | null = null
  for (;;) {
    try {
      return await find()
    } catch (error) {
      const { seconds = null, record = null } = waitOf() ?? {}
      if (!(error instanceof NotFoundError) || seconds === null || record === null) throw error
      endMs ??= startOfWait(response, seconds)
      if (!(await waits.wait(record, endMs, response))) throw error
    }
  }
}

/** The end of a wait that begins now. The socket is silent meanwhile, and must not be taken for a dead one. */
function startOfWait(response: ServerResponse, seconds: number): number {
  response.socket?.setTimeout((seconds + silentSeconds) * 1_000)
  return performance.now() + seconds * 1_000
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => (made ??= { value: make() }).value
}

/**
 * Caches an answer under its URL, if the index version was the same before and after the read. A cached answer is
 * therefore never older than its version, nor mixed from two versions. URLs are not normalised: this would cost more
 * than a second copy.
 */
async function keepAnswer(
  { reader, kept }: ApiContext,
  { raw, routeOptions }: FastifyRequest,
  version: number,
  answer: Answer,
): Promise<void> {
  const { url = '' } = raw
  if (!kept.admits(url) || (await reader.indexVersion()) !== version) return
  answer.meter = routeOptions.config.meter ?? null
  kept.keep(url, version, answer)
}

/** The compressed form of an answer, counted where the answer is kept. */
async function encodeKept(
  kept: KeptAnswers,
  key: string,
  answer: Answer,
  coding: ContentCoding,
): Promise<PlainBody | CompressedBody> {
  const formsBefore = answer.compressed.size
  const body = await encodeAnswer(answer, coding)
  if (answer.compressed.size !== formsBefore) kept.recount(key, answer)
  return body
}
