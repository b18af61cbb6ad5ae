import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** An HTTP answer as it came over the wire. */
export interface RawAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Makes a server listen on a free local port, and returns the port. */
export async function listenLocally(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return address.port
}

/**
 * Writes bytes to a server and reads one answer, for requests that an HTTP client would refuse to send. The server must
 * close the connection, so the request has to ask for that or be invalid; null if the server closes without an answer.
 */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const chunks: Uint8Array[] = []
    socket.setTimeout(10_000, () => socket.destroy(new Error('the server neither answered nor closed')))
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('error', (error) => {
      // The server may close while the rest of an over-long request is still on its way.
      if (!('code' in error) || (error.code !== 'ECONNRESET' && error.code !== 'EPIPE')) reject(error)
    })
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString('latin1'))))
    socket.on('connect', () => socket.write(bytes))
  })
}

function parseAnswer(text: string): RawAnswer | null {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const statusCode = /^HTTP\/1\.1 ([0-9]{3})/.exec(statusLine)?.[1]
  if (statusCode === undefined) return null
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { statusCode: Number(statusCode), headers, body: rest.join('\r\n\r\n') }
}
