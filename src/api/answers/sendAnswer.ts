import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodeAnswer, type Answer, type CompressedBody, type PlainBody } from './answer.ts'
import type { CompressedCoding } from './compress.ts'
import type { KeptAnswers } from './keptAnswers.ts'
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

/**
 * Writes an answer in the client's preferred coding to the raw response: Fastify's own `send` would inspect each header
 * and the body once more. A promise where the answer is compressed first.
 * @param place null for an answer that is never cached.
 */
export function sendAnswer(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  place: KeptPlace | null,
): void | Promise<void> {
  const coding = negotiateEncoding(raw.headers['accept-encoding'])
  if (coding !== 'identity') return sendEncoded(reply, answer, coding, place)
  writeAnswer(reply, 200, answer.plain)
}

async function sendEncoded(
  reply: FastifyReply,
  answer: Answer,
  coding: CompressedCoding,
  place: KeptPlace | null,
): Promise<void> {
  const formsBefore = answer.compressed.size
  const body = await encodeAnswer(answer, coding)
  if (answer.compressed.size !== formsBefore) place?.kept.recount(place.key, answer)
  writeAnswer(reply, 200, body)
}

/**
 * Writes an answer with the headers of the client's limit. They join the list that `writeHead` takes: where a response
 * has headers of its own, node copies and checks all headers once more.
 */
export function writeAnswer(
  reply: FastifyReply,
  statusCode: number,
  { headers, content }: Pick<PlainBody | CompressedBody, 'headers' | 'content'>,
): void {
  const { raw, limitHeaders } = reply
  reply.hijack()
  raw.writeHead(statusCode, limitHeaders === null ? headers : [...headers, ...limitHeaders]).end(content)
}

/** The raw response, for an answer that is streamed, with the headers of the client's limit. */
export function takeResponse(reply: FastifyReply): ServerResponse {
  const { raw, limitHeaders } = reply
  reply.hijack()
  for (let i = 0; i < (limitHeaders?.length ?? 0); i += 2) {
    raw.setHeader(limitHeaders?.[i] ?? '', limitHeaders?.[i + 1] ?? '')
  }
  return raw
}
