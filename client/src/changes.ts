import { AttestryError } from './attestryError.ts'
import type { Attestation, DataOf, ListRow, Schema } from './paths.ts'
import { pause, request, type Transport } from './request.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

/**
 * A change of the index. `changes({ lastEventId: id })` continues after it. `revert`: a reorganisation reverted the
 * record or anchor in `data`. `reset`: changes are missing here; the reader must read all its data anew.
 */
export type ChangeEvent =
  | {
      readonly type: 'attestation' | 'revocation'
      readonly id: string
      readonly data: Extract<Attestation, { mode: 'onchain' }> & OfProtocol
    }
  | { readonly type: 'schema'; readonly id: string; readonly data: Schema & OfProtocol }
  | { readonly type: 'anchor'; readonly id: string; readonly data: ListRow<'/scan/anchors'> }
  | {
      readonly type: 'revert'
      readonly id: string
      readonly data: {
        readonly record: 'attestation' | 'schema' | 'revocation'
        readonly id: string
        readonly protocol: string | null
      } & Record<string, unknown>
    }
  | {
      readonly type: 'revert'
      readonly id: string
      readonly data: { readonly record: 'anchor' } & ListRow<'/scan/anchors'>
    }
  | { readonly type: 'reset'; readonly id: string; readonly data: unknown }

/** Two protocols may have records of the same id on one chain. */
interface OfProtocol {
  readonly protocol: string
}

/** The pause before a stream that ended is opened again, in milliseconds, until the server names another one. */
const reconnectMsDefault = 3_000
/** A connection without a byte for this long counts as dead, in milliseconds; the server sends a comment every 15 s. */
const silenceMaxMs = 45_000

/**
 * The changes of the index as they happen. Reopens a broken connection after the last event, for as long as the caller
 * reads.
 * @throws AttestryError if the server refuses the filter.
 */
export async function* streamChanges(
  transport: Transport,
  filter: { readonly lastEventId?: string } & object,
  signal?: AbortSignal,
): AsyncGenerator<ChangeEvent, void, void> {
  let lastEventId = filter.lastEventId
  let reconnectMs = reconnectMsDefault
  for (;;) {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const hear = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMaxMs)
    }
    try {
      const response = await request(transport, {
        path: '/scan/events',
        parameters: { ...filter, lastEventId },
        accept: 'text/event-stream',
        signal: signal === undefined ? silence.signal : AbortSignal.any([silence.signal, signal]),
      })
      hear()
      for await (const event of readServerSentEvents(response, hear)) {
        if (event.retryMs !== null) reconnectMs = event.retryMs
        if (event.id !== null) lastEventId = event.id
        if (event.type === null) continue
        yield {
          type: event.type,
          id: lastEventId ?? '',
          data: JSON.parse(event.data) as unknown,
        } as ChangeEvent
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof AttestryError && !error.isPassing) throw error
    } finally {
      clearTimeout(timer)
      silence.abort()
    }
    await pause(reconnectMs, signal)
  }
}

/** The pages of changes after a cursor, until a page has nothing new. */
export async function* pullChanges(
  get: (parameters: object) => Promise<unknown>,
  filter: object,
  cursor: string | undefined,
): AsyncGenerator<DataOf<'/scan/changes'>, void, void> {
  for (let since = cursor; ;) {
    const page = (await get({ ...filter, since })) as DataOf<'/scan/changes'>
    if (page.next === since && !page.reset) return
    yield page
    if (since === undefined) return
    since = page.next
  }
}
