import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { readUntilClosed } from '../effort/readUntilClosed.ts'
import type { Question } from '../asOf/openView.ts'
import type { Freshness } from '../freshness/createFreshness.ts'
import { formatBehind } from '../freshness/formatBehind.ts'
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
  sent: {
    readonly asked: Asked
    readonly ignored: readonly string[]
    readonly about: Question | null
    readonly context: { readonly reader: PastReader; readonly freshness: Freshness }
  },
): Promise<void> {
  const { asked, ignored, about } = sent
  const { reader, freshness } = sent.context
  // The answer is of this state or a newer one.
  const version = await reader.indexVersion()
  const behind = formatBehind(await (await freshness.at(version)).behind(about))
  const text = await answer(readUntilClosed(reader, reply.raw), asked)
  const headers = {
    'content-type': description.mediaType,
    'cache-control': 'no-store',
    vary: 'accept, accept-encoding',
    ...corsHeaders,
  }
  const made = createUntaggedAnswer(text, version, Object.entries(headers).flat())
  const found = { answer: made, key: request.raw.url ?? '', ownHeaders: ignoredHeaders(ignored), behind }
  await sendAnswer(request, reply, found, null)
}
