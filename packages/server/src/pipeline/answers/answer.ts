import { createHash, hash } from 'node:crypto'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import type { Question } from '../asOf/openView.ts'
import { jsonContentType, revalidated, type Caching } from '../headers.ts'
import { formatVersion, versionHeader } from '../indexVersion.ts'
import { atOnceBytesMax, compress, type CompressedCoding } from './compress.ts'

/** A successful answer, ready to be written any number of times. */
export interface Answer {
  /**
   * A weak validator, of the content: compressed and plain forms share it, and so do restarts of the server. null for an
   * answer that is not revalidated.
   */
  readonly etag: string | null
  readonly caching: Caching
  /** The index version before the read: the answer is of this version or newer. */
  readonly version: number
  readonly plain: PlainBody
  /** The question, whose chains' freshness counts; null: everything, now. */
  readonly about: Question | null
  /** The compressed forms that were asked for so far; null before the first. */
  compressed: Map<CompressedCoding, CompressedBody> | null
}

/**
 * A body with its complete list of headers, names and values in turn: the form that `writeHead` takes fastest.
 * `content-length` stands last. The plain form stays a string: node writes it together with the headers in one call,
 * while a buffer needs an allocation and a vector.
 */
export interface PlainBody {
  readonly content: string
  readonly byteLength: number
  readonly headers: string[]
  /** Of the content. Text in ASCII is written as `latin1`, whose bytes are copied without being converted. */
  readonly charset: 'latin1' | 'utf8'
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

/** Of bodies that are compressed at once: quality 2 takes a third of the time of quality 4, and is 5 to 7 % larger. */
const atOnceEffort = { br: 2, gzip: 6 }

/** Longer contents are hashed in pieces of this many characters. */
export const hashedAtOnce = 256 * 1024

/** The hash of a long content. */
export async function hashLong(content: string): Promise<string> {
  const sum = createHash('sha1')
  for (let at = 0; at < content.length; at += hashedAtOnce) {
    // As UTF-16: a piece may end within a character, whose halves would all be the same in UTF-8.
    sum.update(content.slice(at, at + hashedAtOnce), 'utf16le')
    await takeTurn()
  }
  return sum.digest('base64url')
}

/**
 * @param version the index version before the read.
 * @param further headers of this answer by name; null for none.
 * @param about `contentHash`: see `hashLong`.
 */
export function createAnswer(
  content: string,
  version: number,
  further: Readonly<Record<string, string | null>> = {},
  {
    caching = revalidated,
    about = null,
    contentHash = null,
  }: {
    readonly caching?: Caching
    readonly about?: Question | null
    readonly contentHash?: string | null
  } = {},
): Answer {
  const etag = `W/"${contentHash ?? hash('sha1', content, 'base64url')}"`
  const headers = notModifiedHeaders({ etag, version, caching })
  headers.push('content-type', jsonContentType)
  for (const [name, value] of Object.entries(further)) if (value !== null) headers.push(name, value)
  return answerWith(content, { etag, version, caching, about }, headers)
}

/**
 * An answer without revalidation by ETag, such as the answer to a POST, with its own headers.
 * @param ownHeaders names and values in turn.
 */
export function createUntaggedAnswer(
  content: string,
  version: number,
  ownHeaders: readonly string[],
  about: Question | null = null,
): Answer {
  const headers = [...ownHeaders, versionHeader, formatVersion(version)]
  return answerWith(content, { etag: null, version, caching: revalidated, about }, headers)
}

function answerWith(
  content: string,
  named: Pick<Answer, 'etag' | 'version' | 'caching' | 'about'>,
  headers: string[],
): Answer {
  const byteLength = Buffer.byteLength(content)
  headers.push('content-length', String(byteLength))
  const charset = byteLength === content.length ? 'latin1' : 'utf8'
  return { ...named, plain: { content, byteLength, headers, charset }, compressed: null }
}

/** The form of an answer in a coding, plain where that saves nothing; null if it has to be compressed first. */
export function formOf(
  { plain, compressed }: Answer,
  coding: CompressedCoding,
): PlainBody | CompressedBody | null {
  return plain.byteLength < compressedBytesMin ? plain : (compressed?.get(coding) ?? null)
}

/** Compresses an answer, which holds the form from then on. */
export async function compressAnswer(answer: Answer, coding: CompressedCoding): Promise<CompressedBody> {
  const { content, headers } = answer.plain
  const plain = Buffer.from(content)
  const bytes = await compress(plain, coding, plain.length <= atOnceBytesMax ? atOnceEffort : effort)
  const ownHeaders = [...headers.slice(0, -1), String(bytes.length), 'content-encoding', coding]
  const body = { content: bytes, byteLength: bytes.length, headers: ownHeaders }
  answer.compressed ??= new Map()
  answer.compressed.set(coding, body)
  return body
}

/**
 * The validator of an answer while a chain of it is behind. It differs from that of the same answer without the header
 * that says so: a 304 updates headers of a cached copy, and removes none.
 */
export function behindEtag(etag: string): string {
  return `${etag.slice(0, -1)}-behind"`
}

/** Headers of a 304 for an answer: the headers that update a cached copy (RFC 9110, 15.4.5). */
export function notModifiedHeaders({ etag, version, caching }: Tagged): string[] {
  return ['etag', etag, versionHeader, formatVersion(version), ...caching]
}

interface Tagged extends Pick<Answer, 'version' | 'caching'> {
  readonly etag: string
}
