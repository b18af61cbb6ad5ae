import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { EndpointContext } from './addEndpoint.ts'
import { methodNotAllowed } from './answerUnrouted.ts'
import { createUntaggedAnswer } from './answers/answer.ts'
import { ignoredHeaders } from './answers/ignoredHeader.ts'
import { sendAnswer } from './answers/sendAnswer.ts'
import { sendOtherForm } from './answers/sendOtherForm.ts'
import { answerFrom, type Question, type View } from './asOf/openView.ts'
import {
  operationOf,
  type EndpointAnswer,
  type EndpointTool,
  type OtherForm,
  type RequestDescription,
} from './endpoint.ts'
import { writeAnswer } from './envelope.ts'
import { formatBehind, withBehind } from './freshness/formatBehind.ts'
import { addBodyParser, type BodyShape } from './bodies/readBodies.ts'
import { asOfHeaderName, uncachedHeaders } from './headers.ts'
import type { Shown } from '../records/payloadSchemas.ts'
import type { ParameterSet, ParameterValues } from './parameters/parameter.ts'
import { createParameterReader } from './parameters/readParameters.ts'

/** A REST endpoint whose question is too long for a URL: a POST with a body of JSON, which changes nothing. */
export interface PostEndpoint<Body, Set extends ParameterSet, Data extends TSchema> {
  readonly path: string
  readonly summary: string
  /** One or two sentences beyond the summary. */
  readonly description: string
  /** Of the query; none by default. */
  readonly parameters?: Set
  readonly request: RequestDescription
  /** The body that is read; longer ones are a 413. */
  readonly body?: BodyShape
  /** The schema of `data` in the envelope: its type, and its description. */
  readonly data: Data
  /** @throws BadRequestError, BadParameterError */
  readonly readBody: (text: string) => Body
  /** The state that the answer is about; by default the newest, which the answer then does not name. */
  readonly about?: (body: Body) => Question
  /** Finds the answer. */
  readonly answer: (
    body: Body,
    reader: PastReader,
    values: ParameterValues<Set>,
    view: View,
  ) => Promise<Pick<EndpointAnswer<Shown<Data>>, 'data' | 'asOf'>>
  /** Makes the endpoint a tool of models. */
  readonly tool?: EndpointTool
  /** As of an `Endpoint`. */
  readonly rank?: number
  /** Absent if the path answers only in the envelope. */
  readonly otherForms?: readonly OtherForm<PostAsked<Body, Set>>[]
}

export interface PostAsked<Body, Set extends ParameterSet> {
  readonly body: Body
  readonly values: ParameterValues<Set>
}

const bodyDefault: BodyShape = { bytesMax: 2 * 1024 * 1024 }

/** The methods of such a path. */
const allowedMethods = ['POST', 'OPTIONS']

/** The members of a body that is an object. */
function membersOf({ schema }: RequestDescription): readonly string[] {
  const { properties } = schema as { readonly properties?: object }
  return Object.keys(properties ?? {})
}

/** Adds an endpoint to the server, for POST. A body of another type than JSON is a 415. */
export function addPostEndpoint<
  Body,
  Data extends TSchema,
  const Set extends ParameterSet = Record<never, never>,
>(app: FastifyInstance, context: EndpointContext, endpoint: PostEndpoint<Body, Set, Data>): void {
  const { reader, bodies, freshness } = context
  const { path, request: requestBody, readBody, answer, otherForms = [] } = endpoint
  const parameters = endpoint.parameters ?? ({} as Set)
  const readParameters = createParameterReader(parameters, { bodyMembers: membersOf(requestBody) })
  // A scope of its own: its parser of bodies serves only this path.
  app.register((scope, _options, done) => {
    addBodyParser(scope, bodies, endpoint.body ?? bodyDefault)
    scope.route({
      method: 'POST',
      url: path,
      config: {
        operation: { ...operationOf(endpoint, parameters), method: 'post', request: requestBody },
      },
      handler: async (request, reply) => {
        const { values, url, ignored } = readParameters({}, request.raw.url ?? '')
        const body = readBody(typeof request.body === 'string' ? request.body : '')
        const asked = { body, values }
        const about = endpoint.about?.(body) ?? null
        const otherForm = otherForms.find(({ isAsked }) => isAsked(asked, request.headers.accept))
        if (otherForm !== undefined) {
          return sendOtherForm(request, reply, otherForm, { asked, ignored, about, context })
        }
        // The answer is of this state or a newer one.
        const begunAt = await reader.indexVersion()
        const behind = await (await freshness.at(begunAt)).behind(about)
        const tell = (of: PastReader, view: View) => answer(body, of, values, view)
        const made = await answerFrom(context, about, begunAt, reply.raw, tell).catch((error: unknown) => {
          throw withBehind(error, behind, about)
        })
        const { data: found, asOf = null } = made.told
        const headers = asOf === null ? uncachedHeaders : [...uncachedHeaders, asOfHeaderName, asOf]
        const envelope = await writeAnswer(found, made.message)
        const whole = createUntaggedAnswer(envelope, made.version ?? begunAt, headers)
        await sendAnswer(
          request,
          reply,
          { answer: whole, key: url, ownHeaders: ignoredHeaders(ignored), behind: formatBehind(behind) },
          null,
        )
      },
    })
    // The router would give a GET to a path with a parameter, such as `/scan/attestations/:id`.
    scope.route({
      method: ['GET', 'HEAD'],
      url: path,
      config: { isRefused: true },
      handler: ({ method }) => Promise.reject(methodNotAllowed(method, allowedMethods)),
    })
    done()
  })
}
