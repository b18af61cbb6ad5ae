import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { behindHeaderName } from '../headers.ts'
import {
  behindEtag,
  compressAnswer,
  formOf,
  notModifiedHeaders,
  type Answer,
  type CompressedBody,
  type PlainBody,
} from './answer.ts'
import type { CompressedCoding } from './compress.ts'
import { endTogether } from './endTogether.ts'
import type { KeptAnswers } from './keptAnswers.ts'
import { matchesEtag } from './matchesEtag.ts'
import { negotiateEncoding } from './negotiateEncoding.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Headers that tell the client its rate limit, names and values in turn; null without a limit. */
    limitHeaders: readonly string[] | null
  }
}

/** An answer for one request. */
export interface FoundAnswer {
  readonly answer: Answer
  /** The key under which it may be cached. */
  readonly key: string
  /** Headers of this request alone, names and values in turn; null for none. */
  readonly ownHeaders: readonly string[] | null
  /** The chains of the answer that are behind at this moment, as the header has them; null for none. */
  readonly behind: string | null
}

/**
 * Sends an answer; a promise where it is compressed first.
 * @param kept null for an answer that is never cached.
 */
export function sendAnswer(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  found: FoundAnswer,
  kept: KeptAnswers | null,
): void | Promise<void> {
  const written = writeAnswer(raw, reply.raw, found, reply.limitHeaders, kept)
  if (written !== undefined) return written.then(() => void reply.hijack())
  reply.hijack()
}

/**
 * Writes an answer to the raw response, in the client's preferred coding, or 304 if the client has it already: Fastify's
 * own `send` would inspect each header and the body once more. A promise where the answer is compressed first.
 * @param limitHeaders names and values in turn; null without a limit.
 * @param kept null for an answer that is never cached.
 */
export function writeAnswer(
  { headers }: IncomingMessage,
  response: ServerResponse,
  found: FoundAnswer,
  limitHeaders: readonly string[] | null,
  kept: KeptAnswers | null,
): void | Promise<void> {
  const { answer, behind } = found
  const { version, caching } = answer
  const etag = answer.etag === null || behind === null ? answer.etag : behindEtag(answer.etag)
  const further = joinHeaders(found, limitHeaders)
  if (etag !== null && matchesEtag(headers['if-none-match'], etag)) {
    return write(
      response,
      304,
      { headers: notModifiedHeaders({ etag, version, caching }), content: '' },
      further,
    )
  }
  const coding = negotiateEncoding(headers['accept-encoding'])
  if (coding === 'identity') return write(response, 200, tagged(answer.plain, etag), further)
  const form = formOf(answer, coding)
  if (form !== null) return write(response, 200, tagged(form, etag), further)
  return writeCompressed(response, found, coding, { etag, further }, kept)
}

/** The headers of one request, names and values in turn; null for none. */
function joinHeaders(
  { ownHeaders, behind }: FoundAnswer,
  limitHeaders: readonly string[] | null,
): readonly string[] | null {
  if (behind !== null) return [behindHeaderName, behind, ...(ownHeaders ?? []), ...(limitHeaders ?? [])]
  return ownHeaders === null ? limitHeaders : [...ownHeaders, ...(limitHeaders ?? [])]
}

/** A body with another validator; the headers of an answer with one begin with it. */
function tagged(body: WrittenBody, etag: string | null): WrittenBody {
  if (etag === null || body.headers[1] === etag) return body
  return { ...body, headers: ['etag', etag, ...body.headers.slice(2)] }
}

async function writeCompressed(
  response: ServerResponse,
  { answer, key }: FoundAnswer,
  coding: CompressedCoding,
  { etag, further }: { readonly etag: string | null; readonly further: readonly string[] | null },
  kept: KeptAnswers | null,
): Promise<void> {
  const body = await compressAnswer(answer, coding)
  kept?.recount(key, answer)
  write(response, 200, tagged(body, etag), further)
}

/**
 * The headers of the request and of the client's limit join the list that `writeHead` takes: where a response has headers of its own, node
 * copies and checks all headers once more.
 */
function write(
  response: ServerResponse,
  statusCode: number,
  { headers, content, charset = 'utf8' }: WrittenBody,
  further: readonly string[] | null,
): void {
  response.writeHead(statusCode, further === null ? headers : [...headers, ...further])
  endTogether(response, content, charset)
}

type WrittenBody = Pick<PlainBody | CompressedBody, 'headers' | 'content'> &
  Partial<Pick<PlainBody, 'charset'>>

/**
 * The raw response, for an answer that is streamed, with the headers of the client's limit.
 * @param ownHeaders headers of this request alone, names and values in turn; null for none.
 */
export function takeResponse(
  reply: FastifyReply,
  ownHeaders: readonly string[] | null = null,
): ServerResponse {
  const { raw, limitHeaders } = reply
  reply.hijack()
  const headers = [...(limitHeaders ?? []), ...(ownHeaders ?? [])]
  for (let i = 0; i < headers.length; i += 2) raw.setHeader(headers[i] ?? '', headers[i + 1] ?? '')
  return raw
}
