import { readText } from './readText.ts'

/** One block of a stream of server-sent events (HTML standard, 9.2). */
export interface ServerSentEvent {
  /** The name of the event; null for a block without data, which only moves `id` or `retryMs`. */
  readonly type: string | null
  readonly data: string
  readonly id: string | null
  readonly retryMs: number | null
}

/** The events of a response; `onBytes` is called whenever bytes arrive, comments included. */
export async function* readServerSentEvents(
  response: Response,
  onBytes: () => void = () => undefined,
): AsyncGenerator<ServerSentEvent, void, void> {
  let rest = ''
  for await (const text of readText(response, onBytes)) {
    const blocks = (rest + text).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield parseBlock(block)
  }
}

function parseBlock(block: string): ServerSentEvent {
  let type = 'message'
  let id: string | null = null
  let retryMs: number | null = null
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') type = value
    else if (name === 'data') data.push(value)
    else if (name === 'id') id = value
    else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value)
  }
  return { type: data.length === 0 ? null : type, data: data.join('\n'), id, retryMs }
}
