import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { corsHeaders, revalidateCacheControl } from '../headers.ts'
import { matchesEtag } from './matchesEtag.ts'
import { negotiateEncoding, type ContentCoding } from './negotiateEncoding.ts'

/** A body that stays the same while the program runs: a page, its scripts, a description of the interface. */
export interface FixedAnswer {
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly forms: Map<ContentCoding, Promise<Buffer>>
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** A fifth of the time of quality 9 and 3 % larger: it runs once, while somebody waits for the megabytes of a page. */
const brotliQuality = 6

/** @param headers beside those of every answer: at least the content type. */
export function createFixedAnswer(content: Buffer, headers: Readonly<Record<string, string>>): FixedAnswer {
  return {
    etag: `W/"${hash('sha1', content, 'base64url')}"`,
    headers: { ...corsHeaders, 'cache-control': revalidateCacheControl, vary: 'accept-encoding', ...headers },
    forms: new Map([['identity', Promise.resolve(content)]]),
  }
}

/** Sends a fixed answer in the coding that the client likes best, or 304 where it has it already. */
export async function sendFixedAnswer(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  answer: FixedAnswer,
): Promise<FastifyReply> {
  reply.headers({ ...answer.headers, etag: answer.etag })
  if (matchesEtag(headers['if-none-match'], answer.etag)) return await reply.code(304).send()
  const coding = negotiateEncoding(headers['accept-encoding'])
  const content = await formOf(answer, coding)
  if (coding !== 'identity') reply.header('content-encoding', coding)
  return await reply.send(content)
}

async function formOf({ forms }: FixedAnswer, coding: ContentCoding): Promise<Buffer> {
  const known = forms.get(coding)
  if (known !== undefined) return await known
  const plain = (await forms.get('identity')) ?? Buffer.alloc(0)
  const form =
    coding === 'br'
      ? compressBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
      : compressGzip(plain)
  forms.set(coding, form)
  return await form
}
