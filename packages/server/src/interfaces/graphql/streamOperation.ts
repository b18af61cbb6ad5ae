import type { FastifyReply, FastifyRequest } from 'fastify'
import { takeResponse } from '../../pipeline/answers/sendAnswer.ts'
import { presentAsker, runAs } from '@attestry/core/shares/askers.ts'
import { streamHeaders, type ChangeStreams } from '../events/createChangeStreams.ts'
import type { CheckFields } from '../../pipeline/parameters/checkFields.ts'
import type { Effort } from '../../pipeline/effort/createEffort.ts'
import type { Executor, GraphqlRequest } from './createExecutor.ts'

/** The parts of a server that a subscription needs; `streams` is null if the index has no journal. */
export interface SubscriptionParts {
  readonly executor: Executor
  readonly streams: ChangeStreams | null
  readonly checkFields: CheckFields
  /** The effort of a query. */
  readonly effort: Effort
}

/** A comment that shows that the connection lives. */
const heartbeat = ':\n\n'

/**
 * Answers a request over server-sent events, by the protocol of `graphql-sse` for distinct connections: an event `next`
 * for each result and an event `complete` at the end. A query has one result; a subscription has one for each change.
 * The event's id is that of the change: `lastEventId`, or the header `Last-Event-ID`, resumes after it.
 * @throws OverloadedError, BadParameterError
 */
export async function streamOperation(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { executor, streams, checkFields, effort }: SubscriptionParts,
  request: GraphqlRequest,
): Promise<void> {
  const prepared = executor.subscribe(request)
  if (prepared.kind !== 'subscription' || streams === null) {
    const outcome =
      prepared.kind === 'refused' ? prepared : await executor.execute(request, undefined, effort)
    const text = outcome.kind === 'refused' ? JSON.stringify({ errors: outcome.errors }) : outcome.text
    takeResponse(reply)
      .writeHead(200, streamHeaders)
      .end(`${formatNext(null, text)}${complete}`)
    return
  }
  const { lastEventId, render, cost } = prepared
  const filter = await streams.resolve(prepared.filter)
  await checkFields(filter)
  const header = raw.headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : lastEventId
  const place = await streams.placeOf(text)
  const asker = presentAsker()
  const leave = streams.enter(cost)
  streams.open(takeResponse(reply), {
    filter,
    leave,
    place,
    opening: heartbeat,
    form: {
      heartbeat,
      // Only changes of the index are rendered.
      format: async (id, change) => {
        if (change.kind === 'content') return ''
        // The loop that delivers changes began with the request of another client.
        return await runAs(asker, async () => {
          const { text, spentMs } = await render(change)
          if (spentMs > 0) streams.chargeDocument(spentMs)
          return formatNext(id, text)
        })
      },
    },
  })
}

const complete = 'event: complete\ndata: \n\n'

/** JSON text holds no line ends, so that an event's data is one line. */
function formatNext(id: string | null, text: string): string {
  return `event: next\n${id === null ? '' : `id: ${id}\n`}data: ${text}\n\n`
}
