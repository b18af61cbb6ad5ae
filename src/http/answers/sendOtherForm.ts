import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IndexReader } from '../../store/indexReader.ts'
import { readUntilClosed } from '../effort/readUntilClosed.ts'
import type { OtherForm } from '../endpoint.ts'
import { corsHeaders } from '../headers.ts'
import { createUntaggedAnswer } from './answer.ts'
import { ignoredHeaders } from './ignoredHeader.ts'
import { sendAnswer } from './sendAnswer.ts'

/** Makes the second form of an answer, and sends it. */
export async function sendOtherForm<Asked>(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, description }: OtherForm<Asked>,
  sent: { readonly asked: Asked; readonly ignored: readonly string[]; readonly reader: IndexReader },
): Promise<void> {
  const { asked, ignored, reader } = sent
  // Replicas then answer from a state that is at least as new as this one.
  const version = await reader.indexVersion()
  const text = await answer(readUntilClosed(reader, reply.raw), asked)
  const headers = {
    'content-type': description.mediaType,
    'cache-control': 'no-store',
    vary: 'accept, accept-encoding',
    ...corsHeaders,
  }
  const made = createUntaggedAnswer(text, version, Object.entries(headers).flat())
  const found = { answer: made, key: request.raw.url ?? '', ownHeaders: ignoredHeaders(ignored) }
  await sendAnswer(request, reply, found, null)
}
