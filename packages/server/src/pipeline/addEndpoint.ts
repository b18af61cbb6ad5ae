import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { KnownNames } from '@attestry/core/model/knownNames.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import { createAnswer, hashedAtOnce, hashLong } from './answers/answer.ts'
import type { Bodies } from './bodies/readBodies.ts'
import type { KeptAnswers } from './answers/keptAnswers.ts'
import { ignoredHeaders } from './answers/ignoredHeader.ts'
import { sendAnswer, type FoundAnswer } from './answers/sendAnswer.ts'
import { sendOtherForm } from './answers/sendOtherForm.ts'
import { answerFrom, type View } from './asOf/openView.ts'
import type { ReadHeader } from './asOf/resolveBlock.ts'
import { operationOf, type Endpoint, type Wait } from './endpoint.ts'
import { writeAnswer } from './envelope.ts'
import type { Freshness } from './freshness/createFreshness.ts'
import { formatBehind, withBehind } from './freshness/formatBehind.ts'
import { asOfHeaderName, revalidated, type Caching } from './headers.ts'
import { formatVersion, minimumVersionHeader, versionHeader } from './indexVersion.ts'
import type { ParameterSet } from './parameters/parameter.ts'
import { createParameterReader } from './parameters/readParameters.ts'
import type { RecordWaits } from './waits/createRecordWaits.ts'

/** The parts that all endpoints share. */
export interface EndpointContext {
  readonly reader: IndexReader
  readonly readHeader: ReadHeader
  readonly names: KnownNames
  readonly now: () => UnixMilliseconds
  readonly versionOfTurn: () => Promise<number>
  readonly kept: KeptAnswers
  /** Says which chains of an answer are behind. */
  readonly freshness: Freshness
  /** How long caches may keep answers that do not depend on the clock. */
  readonly caching: Caching
  readonly bodies: Bodies
  readonly waits: RecordWaits
}

/** How much longer than its wait a connection may be silent. */
const silentSeconds = 10

/** Adds an endpoint to the server, for GET and HEAD. */
export function addEndpoint<const Set extends ParameterSet, Data extends TSchema>(
  app: FastifyInstance,
  context: EndpointContext,
  endpoint: Endpoint<Set, Data>,
): void {
  const { reader, versionOfTurn, kept, freshness, waits, caching, names } = context
  const { path, parameters, wait, otherForms = [], undefinedIsAbsent = false } = endpoint
  const readParameters = createParameterReader(parameters, { undefinedIsAbsent })

  /**
   * Finds the answer of an index version. Requests that differ only in ignored parameters share one cached answer; the
   * header that names the parameters is not part of it.
   */
  async function findAnswer(
    { params, raw }: Request,
    begunAt: number,
    response: ServerResponse,
  ): Promise<FoundAnswer> {
    const { values, ignored, url } = readParameters(params, raw.url ?? '')
    const ownHeaders = ignoredHeaders(ignored)
    const known = ownHeaders === null ? undefined : kept.find(url, begunAt)
    const about = endpoint.about?.(values) ?? null
    // Read before the records: the answer lacks no more than is said here.
    const behind = await (await freshness.at(begunAt)).behind(about)
    const shown = formatBehind(behind)
    if (known !== undefined) return { answer: known, key: url, ownHeaders, behind: shown }
    const tell = (of: PastReader, view: View) => endpoint.answer(of, values, url, view)
    const made = await answerFrom(context, about, begunAt, response, tell).catch((error: unknown) => {
      throw withBehind(error, behind, about)
    })
    const version = made.version ?? begunAt
    const { data: found, link = null, asOf = null } = made.told
    // Names of ENS come and go while the index stays as it is.
    const followsClock = made.told.followsClock === true || (names.change && includesNames(values))
    const envelope = await writeAnswer(found, made.message)
    const answer = createAnswer(
      envelope,
      version,
      { link, [asOfHeaderName]: asOf },
      {
        caching: followsClock ? revalidated : caching,
        about,
        contentHash: envelope.length > hashedAtOnce ? await hashLong(envelope) : null,
      },
    )
    // An answer is cached if the version was the same before and after the read: it is never older than its version,
    // nor mixed from two. Its key is the URL as it was sent, without ignored parameters; normalising URLs further would
    // cost more than a second copy.
    const isWhole = async () => made.version !== null || (await reader.indexVersion()) === version
    if (!followsClock && kept.admits(url) && (await isWhole())) {
      kept.keep(url, version, answer)
    }
    return { answer, key: url, ownHeaders, behind: shown }
  }

  /** The cached answer of a version, or else a new one. */
  async function find(request: Request, reply: FastifyReply, version: number): Promise<FoundAnswer> {
    const { url = '' } = request.raw
    const known = kept.find(url, version)
    if (known !== undefined) {
      const behind = formatBehind(await (await freshness.at(version)).behind(known.about))
      return { answer: known, key: url, ownHeaders: null, behind }
    }
    try {
      return await findAnswer(request, version, reply.raw)
    } catch (error) {
      reply.header(versionHeader, formatVersion(version))
      throw error
    }
  }

  app.route<{ Params: Record<string, string> }>({
    method: ['GET', 'HEAD'],
    url: path,
    config: { operation: operationOf(endpoint, parameters) },
    handler: async (request, reply) => {
      if (otherForms.length > 0) {
        const { values, ignored } = readParameters(request.params, request.raw.url ?? '')
        const otherForm = otherForms.find(({ isAsked }) => isAsked(values, request.headers.accept))
        if (otherForm !== undefined) {
          return sendOtherForm(request, reply, otherForm, {
            asked: values,
            ignored,
            about: endpoint.about?.(values) ?? null,
            context,
          })
        }
      }
      let found: FoundAnswer
      try {
        // A version shared with other requests may be older than the one that this client has seen.
        const isShared = request.raw.headers[minimumVersionHeader] === undefined
        found = await find(request, reply, await (isShared ? versionOfTurn() : reader.indexVersion()))
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error
        const { values, ignored } = readParameters(request.params, request.raw.url ?? '')
        const [name, names] = ignoredHeaders(ignored) ?? []
        if (name !== undefined) reply.header(name, names)
        if (wait === undefined) throw error
        const findAgain = async () => find(request, reply, await reader.indexVersion())
        found = await findInTime(waits, reply.raw, wait(values), error, findAgain)
      }
      return sendAnswer(request, reply, found, kept)
    },
  })
}

type Request = FastifyRequest<{ Params: Record<string, string> }>

/** Looks again for an answer until its record is there, or the time that the client waits is over. */
async function findInTime(
  waits: RecordWaits,
  response: ServerResponse,
  { seconds, record }: Wait,
  firstError: NotFoundError,
  find: () => Promise<FoundAnswer>,
): Promise<FoundAnswer> {
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
export function startOfWait(response: ServerResponse, seconds: number): number {
  // A request by `inject` has no socket of the network.
  if (response.socket instanceof Socket) response.socket.setTimeout((seconds + silentSeconds) * 1_000)
  return performance.now() + seconds * 1_000
}

function includesNames(values: object): boolean {
  return 'include' in values && values.include instanceof Set && values.include.has('names')
}
