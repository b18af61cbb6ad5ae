import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ChangeJournal, ChangePlace } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { corsHeaders } from '../../pipeline/headers.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'
import type { RequestMeter } from '../../pipeline/metrics/requestMeter.ts'
import { createChangeFeed, type Subscriber } from './changeFeed.ts'
import { resolveSchema, type ChangeFilter, type FeedChange } from '@attestry/core/changes/changeFilter.ts'
import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import { parsePlace } from './formatEvent.ts'

export interface ChangeStreamOptions {
  readonly reader: PastReader
  readonly journal: ChangeJournal<FeedChange>
  readonly tail: JournalTail<FeedChange>
  /** Another tail of the journal, for streams with a form of their own: nobody else waits until they have taken theirs. */
  readonly formTail: JournalTail<FeedChange>
  readonly decodePayload: DecodePayload
  readonly meter: RequestMeter
  readonly limits?: Partial<EventLimits>
}

export interface EventLimits {
  /** Connections at the same time, of which each client has a share; more are refused with 503. */
  readonly connectionsMax: number
  /** Limit of the cost of the documents of all streams, by their fields, counted as the limit `cost` counts. */
  readonly documentCostMax: number
  /** Milliseconds in a minute that executing the documents of all streams may take. */
  readonly documentMsMax: number
  /** See `JournalTail.follow`. */
  readonly pollIntervalMs: number
  readonly heartbeatMs: number
  readonly pendingBytesMax: number
}

const limitDefaults: EventLimits = {
  connectionsMax: 5_000,
  documentCostMax: 20_000,
  documentMsMax: 30_000,
  pollIntervalMs: 250,
  heartbeatMs: 15_000,
  pendingBytesMax: 256 * 1024,
}

/** The streams of changes of one server, whatever form they have: two feeds serve all, within one limit. */
export interface ChangeStreams {
  /**
   * Takes a slot for a stream, which closing the response frees.
   * @param documentCost of the document by which the stream writes changes; 0 without one.
   * @throws OverloadedError if the client has its share of streams.
   */
  enter(documentCost?: number): () => void
  /**
   * Counts the time that the documents of the present client took.
   * @throws OverloadedError if that is more than its share.
   */
  chargeDocument(elapsedMs: number): void
  /** The place that a client names; the newest where it names none. A text that is no place leads to a reset. */
  placeOf(text: string | null): Promise<ChangePlace>
  /** As `resolveSchema`. */
  resolve(filter: ChangeFilter | null): Promise<ChangeFilter | null>
  /** Sends the headers of a stream, and from then on every change after `place` that passes the filter. */
  open(response: ServerResponse, stream: ChangeStream): void
}

export interface ChangeStream {
  /** null: no indexed record can pass. The stream stays open and sends only resets. */
  readonly filter: ChangeFilter | null
  readonly place: ChangePlace
  /** The first bytes. */
  readonly opening: string
  /** The form of changes; that of `/scan/events` by default. */
  readonly form?: Subscriber['form']
  /** Frees the slot. */
  readonly leave: () => void
}

/** The streams of a server, which end with it. */
export function createChangeStreams(app: FastifyInstance, options: ChangeStreamOptions): ChangeStreams {
  const limits = { ...limitDefaults, ...options.limits }
  const { reader, journal, tail, formTail, decodePayload, meter } = options
  const feed = createChangeFeed({ ...limits, journal, tail, decodePayload })
  const formFeed = createChangeFeed({ ...limits, journal, tail: formTail, decodePayload })
  const slots = createFairShares({
    total: limits.connectionsMax,
    windowMs: null,
    refusal: 'This client listens to as many streams as it may already; try again later.',
  })
  const documents = createFairShares({
    total: limits.documentCostMax,
    windowMs: null,
    refusal:
      'This client listens with as many documents as it may already; ask for fewer fields, or try again later.',
  })
  const documentTime = createFairShares({
    total: limits.documentMsMax,
    windowMs: 60_000,
    refusal: 'The documents with which this client listens take more time than it has; try again later.',
  })
  app.addHook('preClose', (done) => {
    feed.close()
    formFeed.close()
    done()
  })
  return {
    enter: (documentCost = 0) => {
      const leave = slots.take()
      if (documentCost === 0) return leave
      try {
        documentTime.take(0)
        const leaveDocuments = documents.take(documentCost)
        return () => {
          leave()
          leaveDocuments()
        }
      } catch (error) {
        leave()
        throw error
      }
    },
    chargeDocument: (elapsedMs) => documentTime.charge(elapsedMs),
    placeOf: async (text) =>
      text === null ? await journal.newestChange() : (parsePlace(text) ?? { sequence: 0, offset: 0 }),
    resolve: async (filter) => (filter === null ? null : await resolveSchema(filter, reader)),
    open: (response, { filter, place, opening, form, leave }) => {
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
      const unsubscribe = (form === undefined ? feed : formFeed).subscribe(subscriber, place)
      response.once('close', leave)
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
