import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { ApiContext } from '../../apiContext.ts'
import { createFixedAnswer, sendFixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import { ignoredHeaders } from '../../pipeline/answers/ignoredHeader.ts'
import type { BehindChain } from '../../pipeline/freshness/createFreshness.ts'
import { explainBehind, formatBehind } from '../../pipeline/freshness/formatBehind.ts'
import { behindHeaderName } from '../../pipeline/headers.ts'
import { nameChain } from '../../pipeline/nameChain.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import {
  aboutIds,
  ofProtocol,
  readCompositeId,
  type Identified,
} from '../../pipeline/parameters/idParameters.ts'
import type { Parameter } from '../../pipeline/parameters/parameter.ts'
import { createParameterReader } from '../../pipeline/parameters/readParameters.ts'
import { quoteInput } from '../../pipeline/quoteInput.ts'
import { renderBadge, type Badge } from './renderBadge.ts'

/** How long a badge may be shown without asking again. Proxies of images ask for every view otherwise. */
const badgeSeconds = 60

const headers = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

const suffix = '.svg'
const exampleFile = 'onchain_evm_11155111_0x1a.svg'

const fileParameter: Parameter<Identified<RecordKey>> = {
  name: 'file',
  in: 'path',
  schema: Type.String({
    pattern: '^onchain_evm_[0-9]+_0[xX][0-9a-fA-F]+\\.svg$',
    description: 'Composite id of the attestation, and `.svg`.',
    examples: [exampleFile],
  }),
  absent: null,
  read: (text) => {
    if (text.endsWith(suffix)) return readCompositeId('file', text.slice(0, -suffix.length), ', and .svg')
    throw new BadParameterError(
      `file must be a composite id of an attestation and .svg, such as ${exampleFile}; it was ${quoteInput(text)}.`,
    )
  },
}

const parameters = { file: fileParameter, protocol: idProtocolParameter } as const

/**
 * Adds `/badge/<attestation>.svg`: an image with the state of an attestation, for pages elsewhere. An attestation that
 * is not indexed has a badge as well, since places that show images show none of another status than 200.
 */
export function addBadgeEndpoint(app: FastifyInstance, context: ApiContext): void {
  const answerHeaders = { ...headers, 'cache-control': `${context.sharing}, max-age=${badgeSeconds}` }
  const readParameters = createParameterReader(parameters, { undefinedIsAbsent: false })
  app.route<{ Params: Record<string, string> }>({
    method: ['GET', 'HEAD'],
    url: '/badge/:file',
    config: {
      operation: {
        summary: 'An image of the state of an attestation: valid, revoked, expired or unknown',
        description: 'An SVG for pages elsewhere. A record that is not indexed has a badge too.',
        parameters,
        body: {
          mediaType: 'image/svg+xml',
          description: 'The badge, which may be kept for a minute.',
          schema: Type.String(),
          example: renderBadge(unknownBadge),
        },
      },
    },
    handler: async (request, reply) => {
      const { values, ignored } = readParameters(request.params, request.raw.url ?? '')
      const id = ofProtocol(values.file, values.protocol)
      // This read, and those after it, are at least as new as any answer before.
      const state = await context.freshness.at(await context.reader.indexVersion())
      const behind = await state.behind(aboutIds([id], 'attestation'))
      const known = id.kind === 'known' ? await describeBadge(context, id.value) : unknownBadge
      const badge = withDoubt(known, behind)
      const shown = formatBehind(behind)
      if (shown !== null) reply.header(behindHeaderName, shown)
      const [name, names] = ignoredHeaders(ignored) ?? []
      if (name !== undefined) reply.header(name, names)
      return await sendFixedAnswer(
        request,
        reply,
        createFixedAnswer(Buffer.from(renderBadge(badge)), answerHeaders),
      )
    },
  })
}

const unknownBadge: Badge = {
  label: 'attestation',
  message: 'unknown',
  color: '#64748b',
  title: 'This attestation is not indexed here.',
}

/** A revocation or an expiry stays; whether a record exists, or is still valid, is not known while its chain is behind. */
function withDoubt(badge: Badge, behind: readonly BehindChain[]): Badge {
  const reasons = explainBehind(behind)
  if (reasons === null || badge.color === colors.revoked || badge.color === colors.expired) return badge
  const title = `Whether this attestation is valid is not known. ${reasons}`
  return { ...unknownBadge, label: badge.label, message: 'unknown · index behind', title }
}

const colors = { valid: '#15803d', revoked: '#b91c1c', expired: '#b45309' } as const

async function describeBadge({ reader, now }: ApiContext, key: RecordKey): Promise<Badge> {
  const attestation = await reader.findAttestation(key)
  if (attestation === null) return unknownBadge
  const { key: own } = attestation
  const [{ statuses }, [origin], chain] = await Promise.all([
    reader.findStatuses([own], Math.floor(now() / 1000)),
    reader.findAttestationOrigins([own]),
    nameChain(reader, own.chainId),
  ])
  const state = statuses[0] ?? null
  // A revert between two reads takes the record away.
  if (state === null || origin === undefined || origin === null) return unknownBadge
  const { blockNumber, revokedBlockNumber } = origin
  const [how, block] =
    state === 'revoked' && revokedBlockNumber !== null
      ? ['revoked', revokedBlockNumber]
      : ['attested', blockNumber]
  return {
    label: chain,
    message: `${state} · block ${block.toLocaleString('en-GB')}`,
    color: colors[state],
    title: `Attestation ${own.localId} on ${chain} is ${state}; it was ${how} in block ${block}.`,
  }
}
