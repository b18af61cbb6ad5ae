import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ignoredHeaders } from '../answers/ignoredHeader.ts'
import { takeResponse } from '../answers/sendAnswer.ts'
import type { CheckFields } from '../parameters/checkFields.ts'
import { createParameterReader } from '../parameters/readParameters.ts'
import { patternParameter } from '../parameters/textParameters.ts'
import { changeFilterOf, changeParameters } from './changeParameters.ts'
import { streamHeaders, type ChangeStreams } from './createChangeStreams.ts'
import { formatOpening } from './formatEvent.ts'

const parameters = {
  ...changeParameters,
  lastEventId: patternParameter({
    name: 'lastEventId',
    description:
      'The id of the last event that was read: the stream continues behind it. The header `Last-Event-ID` takes precedence.',
    pattern: /^[0-9]{1,16}-[0-9]{1,16}$/,
    shape: 'the id of an event',
    example: '1764000000000-0',
  }),
} as const

/** Adds `/scan/events` to a scope. */
export function addEventsEndpoint(
  scope: FastifyInstance,
  streams: ChangeStreams,
  checkFields: CheckFields,
): void {
  const readParameters = createParameterReader(parameters)
  scope.route({
    method: ['GET', 'HEAD'],
    url: '/scan/events',
    config: { operation },
    handler: async (request, reply) => {
      const { values, ignored } = readParameters({}, request.raw.url ?? '')
      streams.assertRoom()
      const filter = await streams.resolve(changeFilterOf(values))
      await checkFields(filter)
      const header = request.headers['last-event-id']
      const text = typeof header === 'string' && header !== '' ? header : values.lastEventId
      const place = await streams.placeOf(text)
      const response = takeResponse(reply, ignoredHeaders(ignored))
      if (request.method === 'HEAD') response.writeHead(200, streamHeaders).end()
      else streams.open(response, { filter, place, opening: formatOpening(place) })
    },
  })
}

const operation = {
  summary: 'New, revoked and taken-back records and anchors as they are indexed, as server-sent events',
  parameters,
  body: {
    mediaType: 'text/event-stream',
    description:
      'Events `attestation` and `revocation` (the attestation in the form of its own path), `schema` (likewise), ' +
      '`anchor` (an off-chain anchor, as a row of `/scan/anchors`), `revert` (a reorganisation took back the ' +
      'attestation, schema, revocation or anchor that `record` names) and `reset` ' +
      '(events are missing: read the records anew).',
    schema: Type.String(),
    example:
      'event: revert\nid: 1764000000000-3\ndata: {"record":"revocation","id":"onchain_evm_11155111_0x1a"}\n\n',
  },
}
