import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { IndexReader } from '../store/indexReader.ts'
import type { ApiContext } from './addEndpoint.ts'
import { methodNotAllowed } from './answerUnrouted.ts'
import { createUntaggedAnswer } from './answers/answer.ts'
import { ignoredHeaders } from './answers/ignoredHeader.ts'
import { sendAnswer } from './answers/sendAnswer.ts'
import type { RequestDescription } from './endpoint.ts'
import { readUntilClosed } from './effort/readUntilClosed.ts'
import { successEnvelope } from './envelope.ts'
import { addBodyParser, type BodyShape } from './bodies/readBodies.ts'
import { corsHeaders, jsonContentType } from './headers.ts'
import { createParameterReader } from './parameters/readParameters.ts'

/** A REST endpoint whose question is too long for a URL: a POST with a body of JSON, which changes nothing. */
export interface PostEndpoint<Body> {
  readonly path: string
  readonly summary: string
  readonly request: RequestDescription
  /** The body that is read; longer ones are a 413. */
  readonly body?: BodyShape
  /** The schema of `data` in the envelope. */
  readonly data: TSchema
  /** @throws BadRequestError, BadParameterError */
  readonly readBody: (text: string) => Body
  /** The JSON text of `data`. */
  readonly answer: (body: Body, reader: IndexReader) => Promise<string>
}

const bodyDefault: BodyShape = { bytesMax: 2 * 1024 * 1024 }

/** What such a path reads stands in its body. */
const readParameters = createParameterReader({})

/** The methods of such a path. */
const allowedMethods = ['POST', 'OPTIONS']

const answerHeaders = Object.entries({
  'content-type': jsonContentType,
  'cache-control': 'no-store',
  vary: 'accept-encoding',
  ...corsHeaders,
}).flat()

/** Adds an endpoint to the server, for POST. A body of another type than JSON is a 415. */
export function addPostEndpoint<Body>(
  app: FastifyInstance,
  { reader, bodies }: ApiContext,
  { path, body = bodyDefault, summary, request: described, data, readBody, answer }: PostEndpoint<Body>,
): void {
  // A scope of its own: its parser of bodies is for this path alone.
  app.register((scope, _options, done) => {
    addBodyParser(scope, bodies, body)
    scope.route({
      method: 'POST',
      url: path,
      config: { operation: { method: 'post', summary, parameters: {}, request: described, data } },
      handler: async (request, reply) => {
        const { url, ignored } = readParameters({}, request.raw.url ?? '')
        const sent = readBody(typeof request.body === 'string' ? request.body : '')
        // Replicas then answer from a state that is at least as new as this one.
        const version = await reader.indexVersion()
        const dataJson = await answer(sent, readUntilClosed(reader, reply.raw))
        const made = createUntaggedAnswer(successEnvelope(dataJson), version, answerHeaders)
        await sendAnswer(
          request,
          reply,
          { answer: made, key: url, ownHeaders: ignoredHeaders(ignored) },
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
