import { connect } from 'node:net'

/**
 * One connection of a cheap client: the measured servers answer in some ten microseconds, less than an HTTP library
 * needs. One request is in flight at a time.
 */
export interface HttpConnection {
  /** Sends a request. The previous one must have been answered. */
  send(request: Buffer): void
  close(): void
}

export interface HttpConnectionOptions {
  readonly port: number
  readonly onReady: (connection: HttpConnection) => void
  /** Called when an answer is complete, with its bytes on the wire. */
  readonly onAnswer: (connection: HttpConnection, status: number, bytes: number) => void
  readonly onFailure: (error: Error) => void
}

/**
 * The bytes of a request: a GET of a path, or a POST when a space and a JSON body follow the path.
 */
export function encodeRequest(port: number, request: string): Buffer {
  const { path, body } = splitRequest(request)
  const head = `${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n`
  if (body === null) return Buffer.from(`GET ${head}\r\n`)
  const length = Buffer.byteLength(body)
  return Buffer.from(`POST ${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`)
}

export function splitRequest(request: string): { readonly path: string; readonly body: string | null } {
  const space = request.indexOf(' ')
  return space === -1
    ? { path: request, body: null }
    : { path: request.slice(0, space), body: request.slice(space + 1) }
}

/**
 * The buffer that all connections read into; each read is processed before the next. Separate buffers would make 70 MB
 * of garbage a second, whose collection delays all connections by ten milliseconds twice a second and distorts the
 * latencies.
 */
const readBuffer = Buffer.alloc(65_536)

export function openHttpConnection(options: HttpConnectionOptions): void {
  const { port, onReady, onAnswer, onFailure } = options
  const onread = {
    buffer: readBuffer,
    callback: (length: number) => {
      read(readBuffer.subarray(0, length))
      return true
    },
  }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  const connection: HttpConnection = {
    send: (request) => socket.write(request),
    close: () => socket.destroy(),
  }
  let received: Buffer = Buffer.alloc(0)
  let status = 0
  let bytes = 0
  /** Bytes of the body still to come; -1 while the head is not complete. */
  let bodyLeft = -1

  const readHead = (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) {
      if (received === chunk) received = Buffer.from(chunk)
      return
    }
    const head = received.toString('latin1', 0, end)
    const length = /content-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) return void socket.destroy(new Error('an answer without content-length'))
    status = Number(head.slice(9, 12))
    bodyLeft = Number(length) - (received.length - end - 4)
    received = Buffer.alloc(0)
  }

  const read = (chunk: Buffer) => {
    bytes += chunk.length
    if (bodyLeft < 0) readHead(chunk)
    else bodyLeft -= chunk.length
    if (bodyLeft !== 0) return
    const total = bytes
    bytes = 0
    bodyLeft = -1
    onAnswer(connection, status, total)
  }

  socket.on('connect', () => onReady(connection))
  socket.on('error', onFailure)
}
