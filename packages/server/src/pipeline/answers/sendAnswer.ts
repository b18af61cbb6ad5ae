import type { ServerResponse } from 'node:http'
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
  /** Headers of only this request, names and values in turn; null for none. */
  readonly ownHeaders: readonly string[] | null
  /** The chains of the answer that are behind at this moment, as the header has them; null for none. */
  readonly behind: string | null
}

/**
 * Writes an answer to the raw response, in the client's preferred coding, or 304 if the client has it already: Fastify's
 * own `send` would inspect each header and the body once more. Returns a promise if the answer is compressed first.
 * @param kept null for an answer that is never cached.
 */
export function sendAnswer(
  { raw: { headers } }: FastifyRequest,
  reply: FastifyReply,
  found: FoundAnswer,
  kept: KeptAnswers | null,
): void | Promise<void> {
  const { answer, behind } = found
  const { version, caching } = answer
  const etag = answer.etag === null || behind === null ? answer.etag : behindEtag(answer.etag)
  const further = joinHeaders(found, reply.limitHeaders)
  if (etag !== null && matchesEtag(headers['if-none-match'], etag)) {
    return write(
      reply,
      304,
      { headers: notModifiedHeaders({ etag, version, caching }), content: '' },
      further,
    )
  }
  const coding = negotiateEncoding(headers['accept-encoding'])
  if (coding === 'identity') return write(reply, 200, tagged(answer.plain, etag), further)
  const form = formOf(answer, coding)
  if (form !== null) return write(reply, 200, tagged(form, etag), further)
  return sendCompressed(reply, found, coding, { etag, further }, kept)
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

async function sendCompressed(
  reply: FastifyReply,
  { answer, key }: FoundAnswer,
  coding: CompressedCoding,
  { etag, further }: { readonly etag: string | null; readonly further: readonly string[] | null },
  kept: KeptAnswers | null,
): Promise<void> {
  const body = await compressAnswer(answer, coding)
  kept?.recount(key, answer)
  write(reply, 200, tagged(body, etag), further)
}

/**
 * Joins the headers of the request and of the client's limit to the list that `writeHead` takes. Node.js copies and checks
 * all headers once more if a response has headers of its own.
 */
function write(
  reply: FastifyReply,
  statusCode: number,
  { headers, content, charset = 'utf8' }: WrittenBody,
  further: readonly string[] | null,
): void {
  reply.raw.writeHead(statusCode, further === null ? headers : [...headers, ...further])
  endTogether(reply.raw, content, charset)
  reply.hijack()
}

type WrittenBody = Pick<PlainBody | CompressedBody, 'headers' | 'content'> &
  Partial<Pick<PlainBody, 'charset'>>

/**
 * The raw response, for an answer that is streamed, with the headers of the client's limit.
 * @param ownHeaders headers of only this request, names and values in turn; null for none.
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
