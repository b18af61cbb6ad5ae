import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { signedHeaders } from '../signMessage.ts'

/** The secret of tests. */
export const testSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export interface ReceivedMessage {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A receiver of hooks on a port of its own. */
export interface Receiver {
  readonly url: string
  /** The messages that were answered with 2xx, in their order. */
  readonly messages: readonly ReceivedMessage[]
  /** The requests so far, delivered or not. */
  readonly requestCount: () => number
  close(): Promise<void>
}

/** `answer` writes the answer and returns whether it took the message; by default every message is taken. */
export async function startReceiver(
  answer: (response: ServerResponse, message: ReceivedMessage) => boolean = take,
): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount += 1
    void readBody(request).then((body) => {
      const message = verify(request, body)
      if (answer(response, message)) messages.push(message)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver listens on no port')
  return {
    url: `http://127.0.0.1:${address.port}/hook?key=hidden`,
    messages,
    requestCount: () => requestCount,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function take(response: ServerResponse): boolean {
  response.writeHead(204).end()
  return true
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** Checks the signature as a receiver does. */
function verify({ headers }: IncomingMessage, body: string): ReceivedMessage {
  const id = String(headers['webhook-id'])
  const expected = signedHeaders({ id, body }, [testSecret], Number(headers['webhook-timestamp']))
  const given = String(headers['webhook-signature']).split(' ')
  if (!given.includes(expected['webhook-signature'])) throw new Error(`message ${id} has a wrong signature`)
  return { id, ...(JSON.parse(body) as Omit<ReceivedMessage, 'id'>) }
}
