import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from '../errors/apiErrors.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { OffchainVerifier } from '../model/offchainRecord.ts'
import type { ProveEvent } from '../model/recordProof.ts'
import type { UnixMilliseconds } from '../model/time.ts'
import type { IndexQueries } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import { createAnswer, notModifiedHeaders, type Answer } from './answers/answer.ts'
import type { KeptAnswers } from './answers/keptAnswers.ts'
import { matchesEtag } from './answers/matchesEtag.ts'
import { sendAnswer, writeAnswer } from './answers/sendAnswer.ts'
import type { Endpoint, Wait } from './endpoint.ts'
import { successEnvelope } from './envelope.ts'
import { formatVersion, versionHeader } from './indexVersion.ts'
import type { CheckFields } from './parameters/checkFields.ts'
import type { ParameterSet } from './parameters/parameter.ts'
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

/** Adds an endpoint to the server, for GET and HEAD. */
export function addEndpoint<const Set extends ParameterSet>(
  app: FastifyInstance,
  context: ApiContext,
  endpoint: Endpoint<Set>,
): void {
  const { reader, kept, waits } = context
  const { path, summary, parameters, data, wait } = endpoint
  const readParameters = createParameterReader(parameters)
  const valuesOf = ({ raw: { url = '' }, params }: Request) => readParameters(params, url)

  /** The cached answer of the present version, or else a new one. */
  async function find(request: Request, reply: FastifyReply): Promise<VersionedAnswer> {
    const { url = '' } = request.raw
    const version = await reader.indexVersion()
    const known = kept.find(url, version)
    if (known !== undefined) return { version, answer: known }
    try {
      const found = await endpoint.answer(reader, valuesOf(request), url)
      const { dataJson, link, followsClock } =
        typeof found === 'string' ? { dataJson: found, link: null, followsClock: false } : found
      const answer = createAnswer(successEnvelope(dataJson), version, link)
      // An answer is cached if the version was the same before and after the read: it is never older than its version,
      // nor mixed from two. Its key is the URL as it was sent; normalising URLs would cost more than a second copy.
      if (!followsClock && kept.admits(url) && (await reader.indexVersion()) === version) {
        answer.meter = request.routeOptions.config.meter ?? null
        kept.keep(url, version, answer)
      }
      return { version, answer }
    } catch (error) {
      reply.header(versionHeader, formatVersion(version))
      throw error
    }
  }

  app.route<{ Params: Record<string, string> }>({
    method: ['GET', 'HEAD'],
    url: path,
    config: { operation: { summary, parameters, data } },
    handler: async (request, reply) => {
      let found: VersionedAnswer
      try {
        found = await find(request, reply)
      } catch (error) {
        if (wait === undefined || !(error instanceof NotFoundError)) throw error
        const findAgain = () => find(request, reply)
        found = await findInTime(waits, reply.raw, wait(valuesOf(request)), error, findAgain)
      }
      const { version, answer } = found
      const { url = '', headers } = request.raw
      if (!matchesEtag(headers['if-none-match'], answer.etag)) {
        return sendAnswer(request, reply, answer, { kept, key: url })
      }
      writeAnswer(reply, 304, { headers: notModifiedHeaders(answer.etag, version), content: '' })
    },
  })
}

type Request = FastifyRequest<{ Params: Record<string, string> }>

/** An answer, and the index version that it is at least as new as. */
interface VersionedAnswer {
  readonly version: number
  readonly answer: Answer
}

/** Looks again for an answer until its record is there, or the time that the client waits is over. */
async function findInTime(
  waits: RecordWaits,
  response: ServerResponse,
  { seconds, record }: Wait,
  firstError: NotFoundError,
  find: () => Promise<VersionedAnswer>,
): Promise<VersionedAnswer> {
  if (seconds === null || record === null) throw firstError
  const endMs = startOfWait(response, seconds)
  let notFound = firstError
  while (await waits.wait(record, endMs, response)) {
    try {
      return await find()
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      notFound = error
    }
  }
  throw notFound
}

/** The end of a wait that begins now. The socket is silent meanwhile, and must not be taken for a dead one. */
function startOfWait(response: ServerResponse, seconds: number): number {
  response.socket?.setTimeout((seconds + silentSeconds) * 1_000)
  return performance.now() + seconds * 1_000
}
