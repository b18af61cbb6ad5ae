import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DecodePayload } from '../model/decodedPayload.ts'
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
import type { Endpoint } from './endpoint.ts'
import { successEnvelope } from './envelope.ts'
import type { ParameterSet } from './parameters/parameter.ts'
import { createParameterReader } from './parameters/readParameters.ts'

/** The parts that the endpoints of one server share. */
export interface ApiContext {
  readonly reader: IndexReader
  readonly queries: IndexQueries
  readonly decodePayload: DecodePayload
  readonly proveEvent: ProveEvent
  readonly now: () => UnixMilliseconds
  readonly kept: KeptAnswers
}

/**
 * Adds an endpoint to the server, for GET and HEAD. Answers are written to the raw response: Fastify's own `send` would
 * inspect each header and the body once more, a cost that hot answers avoid.
 */
export function addEndpoint<const Set extends ParameterSet>(
  app: FastifyInstance,
  context: ApiContext,
  endpoint: Endpoint<Set>,
): void {
  const { reader, kept } = context
  const { path, summary, parameters, data } = endpoint
  const readParameters = createParameterReader(parameters)
  app.route<{ Params: Record<string, string> }>({
    method: ['GET', 'HEAD'],
    url: path,
    config: { operation: { summary, parameters, data } },
    handler: async (request, reply) => {
      const { raw, params } = request
      const url = raw.url ?? ''
      const version = await reader.indexVersion()
      let answer = kept.find(url, version)
      if (answer === undefined) {
        const found = await endpoint.answer(reader, readParameters(params, url), url)
        if (typeof found === 'string') {
          answer = createAnswer(successEnvelope(found))
          await keepAnswer(context, request, version, answer)
        } else {
          answer = createAnswer(successEnvelope(found.dataJson), found.link)
          if (!found.followsClock) await keepAnswer(context, request, version, answer)
        }
      }
      const { headers } = raw
      if (matchesEtag(headers['if-none-match'], answer.etag)) {
        reply.hijack()
        reply.raw.writeHead(304, notModifiedHeaders(answer.etag)).end()
        return
      }
      const coding = negotiateEncoding(headers['accept-encoding'])
      const body = coding === 'identity' ? answer.plain : await encodeKept(kept, url, answer, coding)
      reply.hijack()
      reply.raw.writeHead(200, body.headers).end(body.content)
    },
  })
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
