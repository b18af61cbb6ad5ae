import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { OverloadedError } from '../../errors/apiErrors.ts'
import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { ChangeJournal, ChangePlace } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import { corsHeaders } from '../headers.ts'
import type { RequestMeter } from '../metrics/requestMeter.ts'
import {
  attestationFilterParameters,
  isUnknown,
  recipientOf,
} from '../parameters/attestationFilterParameters.ts'
import type { CheckFields } from '../parameters/checkFields.ts'
import type { ParameterValues } from '../parameters/parameter.ts'
import { createParameterReader } from '../parameters/readParameters.ts'
import { patternParameter } from '../parameters/textParameters.ts'
import { createChangeFeed, type ChangeFeed, type Subscriber } from './changeFeed.ts'
import type { ChangeFilter } from './changeFilter.ts'
import { formatOpening, parsePlace } from './formatEvent.ts'

export interface EventOptions {
  readonly reader: IndexReader
  readonly journal: ChangeJournal
  readonly decodePayload: DecodePayload
  readonly checkFields: CheckFields
  readonly meter: RequestMeter
  readonly limits?: Partial<EventLimits>
  readonly onFailure: (error: unknown) => void
}

export interface EventLimits {
  /** Connections at the same time; more are refused with 503. */
  readonly connectionsMax: number
  /** The pause between two polls of the index. */
  readonly pollIntervalMs: number
  readonly heartbeatMs: number
  readonly pendingBytesMax: number
}

const limitDefaults: EventLimits = {
  connectionsMax: 5_000,
  pollIntervalMs: 250,
  heartbeatMs: 15_000,
  pendingBytesMax: 256 * 1024,
}

/** Seconds after which a refused client may try again. */
const retryAfterSeconds = 10

const { schemaId, attester, recipient, chainId, fieldConditions } = attestationFilterParameters

const parameters = {
  schemaId,
  attester,
  recipient,
  chainId,
  fieldConditions,
  lastEventId: patternParameter({
    name: 'lastEventId',
    description:
      'The id of the last event that was read: the stream continues behind it. The header `Last-Event-ID` takes precedence.',
    pattern: /^[0-9]{1,16}-[0-9]{1,16}$/,
    shape: 'the id of an event',
    example: '1764000000000-0',
  }),
} as const

/**
 * Returns the function that adds the endpoint to a scope of `app`; one feed serves all scopes, and ends with the
 * server.
 */
export function createEventsEndpoint(
  app: FastifyInstance,
  options: EventOptions,
): (scope: FastifyInstance) => void {
  const limits = { ...limitDefaults, ...options.limits }
  const { reader, journal, meter, decodePayload, checkFields, onFailure } = options
  const indexVersion = () => reader.indexVersion()
  const feed = createChangeFeed({ ...limits, journal, decodePayload, indexVersion, onFailure })
  const readParameters = createParameterReader(parameters)
  app.addHook('preClose', (done) => {
    feed.close()
    done()
  })

  return (scope) => {
    scope.route({
      method: ['GET', 'HEAD'],
      url: '/scan/events',
      config: { operation },
      handler: async (request, reply) => {
        const values = readParameters({}, request.raw.url ?? '')
        if (feed.size >= limits.connectionsMax) {
          throw new OverloadedError('Too many clients listen already; try again later.', retryAfterSeconds)
        }
        const filter = filterOf(values)
        await checkFields(filter)
        const place = placeOf(request, values.lastEventId) ?? (await journal.newestChange())
        reply.hijack()
        reply.raw.writeHead(200, streamHeaders)
        if (request.method === 'HEAD') reply.raw.end()
        else {
          open(feed, reply.raw, filter, place)
          meter.openStreams += 1
          reply.raw.once('close', () => {
            meter.openStreams -= 1
          })
        }
      },
    })
  }
}

const streamHeaders = {
  ...corsHeaders,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Some proxies delay an answer until they have a large part of it.
  'x-accel-buffering': 'no',
}

const operation = {
  summary: 'New, revoked and taken-back records as they are indexed, as server-sent events',
  parameters,
  body: {
    mediaType: 'text/event-stream',
    description:
      'Events `attestation` and `revocation` (the attestation in the form of its own path), `schema` (likewise), ' +
      '`revert` (a reorganisation took back the attestation, schema or revocation that `record` names) and `reset` ' +
      '(events are missing: read the records anew).',
    schema: Type.String(),
    example:
      'event: revert\nid: 1764000000000-3\ndata: {"record":"revocation","id":"onchain_evm_11155111_0x1a"}\n\n',
  },
}

/** A place of another form cannot be in the journal: the feed then tells the client to begin anew. */
function placeOf({ headers }: FastifyRequest, parameter: string | null): ChangePlace | null {
  const header = headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : parameter
  return text === null ? null : (parsePlace(text) ?? { sequence: 0, offset: 0 })
}

/** null: no indexed record can pass. The stream stays open and sends resets alone. */
function filterOf(values: ParameterValues<typeof parameters>): ChangeFilter | null {
  if (isUnknown(values.schemaId) || isUnknown(values.chainId)) return null
  return {
    schema: values.schemaId?.value ?? null,
    attester: values.attester,
    recipient: values.recipient === null ? null : recipientOf(values.recipient),
    chainId: values.chainId?.value ?? null,
    fields: values.fieldConditions ?? [],
  }
}

/** No chain has the number -1. */
const nothing: ChangeFilter = { schema: null, attester: null, recipient: null, chainId: -1, fields: [] }

function open(
  feed: ChangeFeed,
  response: ServerResponse,
  filter: ChangeFilter | null,
  place: ChangePlace,
): void {
  // The operating system detects a client that vanished.
  response.socket?.setKeepAlive(true, 60_000)
  response.write(formatOpening(place))
  const subscriber: Subscriber = {
    filter: filter ?? nothing,
    pendingBytes: () => response.writableLength,
    write: (text) => void response.write(text),
    end: () => response.end(),
    drop: () => response.destroy(),
  }
  const unsubscribe = feed.subscribe(subscriber, place)
  response.on('close', unsubscribe)
  response.on('error', unsubscribe)
}
