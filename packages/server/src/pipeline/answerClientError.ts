import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorEnvelope } from './envelope.ts'
import { clientErrorMessage, urlLengthMax } from './errorAnswer.ts'
import { corsHeaders, jsonContentType } from './headers.ts'

/**
 * Answers a connection whose bytes are not a valid request, and closes it: the start of the next request is unknown.
 * @returns the status of the answer; null if the client is gone.
 */
export function answerClientError(error: Error, socket: Socket): number | null {
  if (socket.destroyed || !socket.writable || errorCode(error) === 'ECONNRESET') {
    socket.destroy()
    return null
  }
  const statusCode = clientErrorStatus(error)
  const message = errorCode(error) === 'HPE_INVALID_URL' ? invalidUrlMessage : clientErrorMessage(statusCode)
  const body = errorEnvelope(statusCode, message)
  const headers = {
    ...corsHeaders,
    'content-type': jsonContentType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines.join('')}\r\n${body}`)
  return statusCode
}

const invalidUrlMessage =
  'The URL holds characters that it must not; percent-encode them as encodeURIComponent does.'

function clientErrorStatus(error: Error): number {
  switch (errorCode(error)) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408
    case 'HPE_HEADER_OVERFLOW':
      return isUrlOverlong(error) ? 414 : 431
    default:
      return 400
  }
}

/** The parser says only that line and headers together are too long: the packet shows whether the line alone was. */
function isUrlOverlong(error: Error): boolean {
  if (!('rawPacket' in error) || !Buffer.isBuffer(error.rawPacket)) return false
  const start = error.rawPacket.toString('latin1', 0, urlLengthMax)
  return /^[A-Z]+ \/[^ ]*$/.test(start)
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
