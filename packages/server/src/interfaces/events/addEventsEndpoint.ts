import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { ApiContext } from '../../apiContext.ts'
import { ignoredHeaders } from '../../pipeline/answers/ignoredHeader.ts'
import { takeResponse } from '../../pipeline/answers/sendAnswer.ts'
import { behindHeaderName } from '../../pipeline/headers.ts'
import { createParameterReader } from '../../pipeline/parameters/readParameters.ts'
import { patternParameter } from '../../pipeline/parameters/textParameters.ts'
import { changeFilterOf, changeParameters } from './changeParameters.ts'
import { streamHeaders, type ChangeStreams } from './createChangeStreams.ts'
import { createFindBehind } from './findBehind.ts'
import { formatOpening, placePattern } from './formatEvent.ts'

const parameters = {
  ...changeParameters,
  lastEventId: patternParameter({
    name: 'lastEventId',
    description:
      'The id of the last event that was read: the stream continues behind it. The header `Last-Event-ID` takes precedence.',
    pattern: placePattern,
    shape: 'the id of an event',
    example: '1764000000000-0',
  }),
} as const

/** A stream of events at a path. */
interface EventsEndpoint {
  readonly url: string
  readonly operation: ReturnType<typeof operationOf>
}

type EventsContext = Pick<ApiContext, 'reader' | 'freshness' | 'checkOwnFields'>

/** Adds the path of a stream to a scope. */
export function addEventsEndpoint(
  scope: FastifyInstance,
  { url, operation }: EventsEndpoint,
  streams: ChangeStreams,
  context: EventsContext,
): void {
  // A stream that begins while a chain is behind has no more than the changes that are indexed from now on.
  const findBehind = createFindBehind(context)
  const readParameters = createParameterReader(parameters)
  scope.route({
    method: ['GET', 'HEAD'],
    url,
    config: { operation },
    handler: async (request, reply) => {
      const { values, ignored } = readParameters({}, request.raw.url ?? '')
      const filter = await streams.resolve(changeFilterOf(values))
      await context.checkOwnFields(filter)
      const header = request.headers['last-event-id']
      const text = typeof header === 'string' && header !== '' ? header : values.lastEventId
      const place = await streams.placeOf(text)
      const behind = await findBehind(values)
      const own = [...(ignoredHeaders(ignored) ?? []), ...(behind === null ? [] : [behindHeaderName, behind])]
      const leave = streams.enter()
      const response = takeResponse(reply, own)
      if (request.method === 'HEAD') {
        leave()
        response.writeHead(200, streamHeaders).end()
      } else streams.open(response, { filter, place, opening: formatOpening(place), leave })
    },
  })
}

const resumed =
  'A stream that is kept open. A client that connects again continues behind the last event that it has read.'

function operationOf(summary: string, description: string, example: string) {
  const body = { mediaType: 'text/event-stream', description, schema: Type.String(), example }
  return { summary, description: resumed, parameters, body }
}

/** Docs/api.md, "Changes as they happen". */
export const indexEvents: EventsEndpoint = {
  url: '/scan/events',
  operation: operationOf(
    'New, revoked and taken-back records and anchors as they are indexed, as server-sent events',
    'Events `attestation` and `revocation` (the attestation in the form of its own path), `schema` (likewise), ' +
      '`anchor` (an off-chain anchor, as a row of `/scan/anchors`), `revert` (a reorganisation took back the ' +
      'attestation, schema, revocation or anchor that `record` names) and `reset` ' +
      '(events are missing: read the records anew).',
    'event: revert\nid: 1764000000000-3\ndata: {"record":"revocation","id":"onchain_evm_11155111_0x1a"}\n\n',
  ),
}

/** Docs/content.md, "As it arrives". */
export const contentEvents: EventsEndpoint = {
  url: '/scan/events/content',
  operation: operationOf(
    'Attestations whose content becomes known, as server-sent events',
    'Events `content` (the attestation in the form of its own path, with `content`) and `reset` (events are ' +
      'missing: read the records anew).',
    'event: content\nid: 7-12\ndata: {"id":"onchain_evm_11155111_0x1a","content":{"state":"verified"}}\n\n',
  ),
}
