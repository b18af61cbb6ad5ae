import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
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

/** Where an answer may be cached. */
export interface KeptPlace {
  readonly kept: KeptAnswers
  readonly key: string
}

/** Sends an answer; a promise where it is compressed first. */
export function sendAnswer(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  place: KeptPlace | null,
): void | Promise<void> {
  const written = writeAnswer(raw, reply.raw, answer, reply.limitHeaders, place)
  if (written !== undefined) return written.then(() => void reply.hijack())
  reply.hijack()
}

/**
 * Writes an answer to the raw response, in the client's preferred coding, or 304 if the client has it already: Fastify's
 * own `send` would inspect each header and the body once more. A promise where the answer is compressed first.
 * @param limitHeaders names and values in turn; null without a limit.
 * @param place null for an answer that is never cached.
 */
export function writeAnswer(
  { headers }: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  limitHeaders: readonly string[] | null,
  place: KeptPlace | null,
): void | Promise<void> {
  const { etag, version } = answer
  if (etag !== null && matchesEtag(headers['if-none-match'], etag)) {
    return write(response, 304, { headers: notModifiedHeaders(etag, version), content: '' }, limitHeaders)
  }
  const coding = negotiateEncoding(headers['accept-encoding'])
  if (coding === 'identity') return write(response, 200, answer.plain, limitHeaders)
  const form = formOf(answer, coding)
  if (form !== null) return write(response, 200, form, limitHeaders)
  return writeCompressed(response, answer, coding, limitHeaders, place)
}

async function writeCompressed(
  response: ServerResponse,
  answer: Answer,
  coding: CompressedCoding,
  limitHeaders: readonly string[] | null,
  place: KeptPlace | null,
): Promise<void> {
  const body = await compressAnswer(answer, coding)
  place?.kept.recount(place.key, answer)
  write(response, 200, body, limitHeaders)
}

/**
 * The headers of the client's limit join the list that `writeHead` takes: where a response has headers of its own, node
 * copies and checks all headers once more.
 */
function write(
  response: ServerResponse,
  statusCode: number,
  { headers, content, charset = 'utf8' }: WrittenBody,
  limitHeaders: readonly string[] | null,
): void {
  response.writeHead(statusCode, limitHeaders === null ? headers : [...headers, ...limitHeaders])
  endTogether(response, content, charset)
}

type WrittenBody = Pick<PlainBody | CompressedBody, 'headers' | 'content'> &
  Partial<Pick<PlainBody, 'charset'>>

/** The raw response, for an answer that is streamed, with the headers of the client's limit. */
export function takeResponse(reply: FastifyReply): ServerResponse {
  const { raw, limitHeaders } = reply
  reply.hijack()
  for (let i = 0; i < (limitHeaders?.length ?? 0); i += 2) {
    raw.setHeader(limitHeaders?.[i] ?? '', limitHeaders?.[i + 1] ?? '')
  }
  return raw
}
