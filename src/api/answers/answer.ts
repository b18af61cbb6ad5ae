import { hash } from 'node:crypto'
import { corsHeaders, jsonContentType, revalidateCacheControl } from '../headers.ts'
import { formatVersion, versionHeader } from '../indexVersion.ts'
import type { RouteMeter } from '../metrics/requestMeter.ts'
import { compress } from './compress.ts'
import type { ContentCoding } from './negotiateEncoding.ts'

/** A successful answer, ready to be written any number of times. */
export interface Answer {
  /** A weak validator, of the content: compressed and plain forms share it, and so do restarts of the server. */
  readonly etag: string
  /** Names and values in turn of the headers that every form has. */
  readonly baseHeaders: readonly string[]
  readonly plain: PlainBody
  /** The compressed forms that were asked for so far. */
  readonly compressed: Map<ContentCoding, CompressedBody>
  /** The meter of the route, which counts each reuse; null while the answer is not cached. */
  meter: RouteMeter | null
}

/**
 * A body with its complete list of headers, names and values in turn: the form that `writeHead` takes fastest. The
 * plain form stays a string: node writes it together with the headers in one call, while a buffer needs an allocation
 * and a vector.
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

/** Brotli at quality 4 makes JSON about as small as gzip's best level, in a third of the time. */
const effort = { br: 4, gzip: 6 }

/**
 * @param version the index version at the read: the answer is of that version or newer.
 * @param link the value of a `Link` header.
 */
export function createAnswer(content: string, version: number, link: string | null = null): Answer {
  const etag = `W/"${hash('sha1', content, 'base64url')}"`
  const headers = notModifiedHeaders(etag, version)
  headers.push('content-type', jsonContentType)
  if (link !== null) headers.push('link', link)
  return answerWith(content, etag, headers)
}

/**
 * An answer without revalidation by ETag, such as the answer to a POST, with its own headers.
 * @param baseHeaders names and values in turn.
 */
export function createUntaggedAnswer(content: string, baseHeaders: readonly string[]): Answer {
  return answerWith(content, '', baseHeaders)
}

function answerWith(content: string, etag: string, baseHeaders: readonly string[]): Answer {
  const byteLength = Buffer.byteLength(content)
  const plain = { content, byteLength, headers: [...baseHeaders, 'content-length', String(byteLength)] }
  return { etag, baseHeaders, plain, compressed: new Map(), meter: null }
}

/** The form of an answer in a coding; compressed on first demand, and left plain where that saves nothing. */
export async function encodeAnswer(
  answer: Answer,
  coding: ContentCoding,
): Promise<PlainBody | CompressedBody> {
  const { baseHeaders, plain, compressed } = answer
  if (coding === 'identity' || plain.byteLength < compressedBytesMin) return plain
  const known = compressed.get(coding)
  if (known !== undefined) return known
  const content = await compress(Buffer.from(plain.content), coding, effort)
  const length = ['content-length', String(content.length), 'content-encoding', coding]
  const body = { content, byteLength: content.length, headers: [...baseHeaders, ...length] }
  compressed.set(coding, body)
  return body
}

/** Headers of a 304 for the answer with this tag: the headers that update a cached copy (RFC 9110, 15.4.5). */
export function notModifiedHeaders(etag: string, version: number): string[] {
  return ['etag', etag, versionHeader, formatVersion(version), ...sharedPairs]
}

const sharedPairs = Object.entries({
  'cache-control': revalidateCacheControl,
  vary: 'accept-encoding',
  ...corsHeaders,
}).flat()
