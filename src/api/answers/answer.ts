import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { corsHeaders, jsonContentType, revalidateCacheControl } from '../headers.ts'
import type { ContentCoding } from './negotiateEncoding.ts'

/** A successful answer, ready to be written as often as it is asked for. */
export interface Answer {
  /** A weak validator, of the content: compressed and plain forms share it, and so do restarts of the server. */
  readonly etag: string
  /** The value of its `Link` header, if it has one. */
  readonly link: string | null
  readonly plain: PlainBody
  /** The compressed forms that were asked for so far. */
  readonly compressed: Map<ContentCoding, CompressedBody>
}

/**
 * A body with the whole list of its headers, names and values in turn, as `writeHead` takes them fastest. The plain form
 * stays a string: node writes it together with the headers in one call, where a buffer needs an allocation and a vector.
 */
export interface PlainBody {
  readonly content: string
  readonly byteLength: number
  readonly headers: string[]
}

export interface CompressedBody {
  readonly content: Buffer
  readonly byteLength: number
  readonly headers: string[]
}

/** Bodies below this many bytes fit into one packet as they are; compressing them costs more than it saves. */
export const compressedBytesMin = 1024

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Quality 4 makes JSON about as small as gzip's best does, in a third of the time. */
const brotliQuality = 4

/** @param link the value of a `Link` header. */
export function createAnswer(content: string, link: string | null = null): Answer {
  const byteLength = Buffer.byteLength(content)
  const etag = `W/"${hash('sha1', content, 'base64url')}"`
  const plain = { content, byteLength, headers: answerHeaders(etag, link, byteLength, 'identity') }
  return { etag, link, plain, compressed: new Map() }
}

/** The form of an answer in a coding; compressed on first demand, and left plain where that saves nothing. */
export async function encodeAnswer(
  answer: Answer,
  coding: ContentCoding,
): Promise<PlainBody | CompressedBody> {
  const { etag, link, plain, compressed } = answer
  if (coding === 'identity' || plain.byteLength < compressedBytesMin) return plain
  const known = compressed.get(coding)
  if (known !== undefined) return known
  const content = await compress(Buffer.from(plain.content), coding)
  const body = {
    content,
    byteLength: content.length,
    headers: answerHeaders(etag, link, content.length, coding),
  }
  compressed.set(coding, body)
  return body
}

/** Headers of a 304 for the answer with this tag: those that a kept copy is updated by (RFC 9110, 15.4.5). */
export function notModifiedHeaders(etag: string): string[] {
  return ['etag', etag, 'cache-control', revalidateCacheControl, 'vary', 'accept-encoding', ...corsPairs]
}

const corsPairs = Object.entries(corsHeaders).flat()

function answerHeaders(etag: string, link: string | null, length: number, coding: ContentCoding): string[] {
  const headers = [
    'content-type',
    jsonContentType,
    'content-length',
    String(length),
    ...notModifiedHeaders(etag),
  ]
  if (link !== null) headers.push('link', link)
  if (coding !== 'identity') headers.push('content-encoding', coding)
  return headers
}

function compress(bytes: Buffer, coding: 'br' | 'gzip'): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(bytes)
  return compressBrotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  })
}
