import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { OverloadedError } from '../../errors/apiErrors.ts'
import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { ChangeJournal, ChangePlace } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import { corsHeaders } from '../../http/headers.ts'
import type { RequestMeter } from '../../http/metrics/requestMeter.ts'
import { createChangeFeed, type Subscriber } from './changeFeed.ts'
import { resolveSchema, type ChangeFilter, type FeedChange } from '../../changes/changeFilter.ts'
import type { JournalTail } from '../../changes/journalTail.ts'
import { parsePlace } from './formatEvent.ts'

export interface ChangeStreamOptions {
  readonly reader: IndexReader
  readonly journal: ChangeJournal<FeedChange>
  readonly tail: JournalTail<FeedChange>
  readonly decodePayload: DecodePayload
  readonly meter: RequestMeter
  readonly limits?: Partial<EventLimits>
}

export interface EventLimits {
  /** Connections at the same time; more are refused with 503. */
  readonly connectionsMax: number
  /** See `JournalTail.follow`. */
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

/** The streams of changes of one server, whatever form they have: one feed serves all, within one limit. */
export interface ChangeStreams {
  /** @throws OverloadedError where too many clients listen. */
  assertRoom(): void
  /** The place that a client names; the newest where it names none. A text that is no place leads to a reset. */
  placeOf(text: string | null): Promise<ChangePlace>
  /** As `resolveSchema`. */
  resolve(filter: ChangeFilter | null): Promise<ChangeFilter | null>
  /** Sends the headers of a stream, and from then on every change behind `place` that passes the filter. */
  open(response: ServerResponse, stream: ChangeStream): void
}

export interface ChangeStream {
  /** null: no indexed record can pass. The stream stays open and sends resets alone. */
  readonly filter: ChangeFilter | null
  readonly place: ChangePlace
  /** The first bytes. */
  readonly opening: string
  /** How the stream writes changes, where it is not as `/scan/events` does. */
  readonly form?: Subscriber['form']
}

/** The streams of a server, which end with it. */
export function createChangeStreams(app: FastifyInstance, options: ChangeStreamOptions): ChangeStreams {
  const limits = { ...limitDefaults, ...options.limits }
  const { reader, journal, tail, decodePayload, meter } = options
  const feed = createChangeFeed({ ...limits, journal, tail, decodePayload })
  app.addHook('preClose', (done) => {
    feed.close()
    done()
  })
  return {
    assertRoom: () => {
      if (feed.size < limits.connectionsMax) return
      throw new OverloadedError('Too many clients listen already; try again later.', retryAfterSeconds)
    },
    placeOf: async (text) =>
      text === null ? await journal.newestChange() : (parsePlace(text) ?? { sequence: 0, offset: 0 }),
    resolve: async (filter) => (filter === null ? null : await resolveSchema(filter, reader)),
    open: (response, { filter, place, opening, form }) => {
      response.writeHead(200, streamHeaders)
      // The operating system detects a client that vanished.
      response.socket?.setKeepAlive(true, 60_000)
      response.write(opening)
      const subscriber: Subscriber = {
        filter: filter ?? nothing,
        ...(form === undefined ? {} : { form }),
        pendingBytes: () => response.writableLength,
        write: (text) => void response.write(text),
        end: () => response.end(),
        drop: () => response.destroy(),
      }
      const unsubscribe = feed.subscribe(subscriber, place)
      response.on('close', unsubscribe)
      response.on('error', unsubscribe)
      meter.openStreams += 1
      response.once('close', () => {
        meter.openStreams -= 1
      })
    },
  }
}

/** The headers of a stream of server-sent events. */
export const streamHeaders = {
  ...corsHeaders,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Some proxies delay an answer until they have a large part of it.
  'x-accel-buffering': 'no',
}

/** No chain has the number -1. */
const nothing: ChangeFilter = {
  schema: null,
  attester: null,
  recipient: null,
  chainId: -1,
  protocol: null,
  fields: [],
}
