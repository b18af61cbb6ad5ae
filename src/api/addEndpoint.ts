import type { FastifyInstance } from 'fastify'
import type { IndexReader } from '../store/indexReader.ts'
import {
  createAnswer,
  encodeAnswer,
  notModifiedHeaders,
  type Answer,
  type EncodedBody,
} from './answers/answer.ts'
import type { KeptAnswers } from './answers/keptAnswers.ts'
import { matchesEtag } from './answers/matchesEtag.ts'
import { negotiateEncoding, type ContentCoding } from './answers/negotiateEncoding.ts'
import type { Endpoint } from './endpoint.ts'
import { successEnvelope } from './envelope.ts'
import type { ParameterSet, ParameterValues } from './parameters/parameter.ts'
import { createParameterReader } from './parameters/readParameters.ts'

/** What the endpoints of one server share. */
export interface ApiContext {
  readonly reader: IndexReader
  readonly kept: KeptAnswers
}

/**
 * Adds an endpoint to the server, for GET and HEAD. Answers are written to the raw response: Fastify's own way of sending
 * would look at each header and at the body once more, which hot answers can do without.
 */
export function addEndpoint<const Set extends ParameterSet>(
  app: FastifyInstance,
  context: ApiContext,
  endpoint: Endpoint<Set>,
): void {
  const { path, summary, parameters, data } = endpoint
  const readParameters = createParameterReader(parameters)
  app.route<{ Params: Record<string, string> }>({
    method: ['GET', 'HEAD'],
    url: path,
    config: { operation: { summary, parameters, data } },
    handler: async (request, reply) => {
      const { values, canonical } = readParameters(request.params, request.raw.url ?? '')
      const key = path + canonical
      const answer = await findAnswer(context, endpoint, key, values)
      const { headers } = request.raw
      if (matchesEtag(headers['if-none-match'], answer.etag)) {
        reply.hijack()
        reply.raw.writeHead(304, notModifiedHeaders(answer.etag)).end()
        return
      }
      const coding = negotiateEncoding(headers['accept-encoding'])
      const body = coding === 'identity' ? answer.plain : await encodeKept(context.kept, key, answer, coding)
      reply.hijack()
      reply.raw.writeHead(200, body.headers).end(body.bytes)
    },
  })
}

/**
 * The answer for a key: the one kept since the index last moved, or a new one. A new one is kept only when the index stood
 * still while it was read: so no kept answer is older than its version, or made of two.
 */
async function findAnswer<Set extends ParameterSet>(
  { reader, kept }: ApiContext,
  endpoint: Endpoint<Set>,
  key: string,
  values: ParameterValues<Set>,
): Promise<Answer> {
  const version = await reader.indexVersion()
  const known = kept.find(key, version)
  if (known !== undefined) return known
  const answer = createAnswer(successEnvelope(await endpoint.answer(reader, values)))
  if ((await reader.indexVersion()) === version) kept.keep(key, version, answer)
  return answer
}

/** The compressed form of an answer, counted where the answer is kept. */
async function encodeKept(
  kept: KeptAnswers,
  key: string,
  answer: Answer,
  coding: ContentCoding,
): Promise<EncodedBody> {
  const formsBefore = answer.compressed.size
  const body = await encodeAnswer(answer, coding)
  if (answer.compressed.size !== formsBefore) kept.recount(key, answer)
  return body
}
