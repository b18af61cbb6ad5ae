import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { VerdictUnknownError } from '@attestry/core/errors/apiErrors.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { GateContext } from './gateContext.ts'
import { parseAsOf, type AskedMoment } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import { addBodyParser } from '@attestry/server/pipeline/bodies/readBodies.ts'
import { readUntilClosed } from '@attestry/server/pipeline/effort/readUntilClosed.ts'
import { corsHeaders, jsonContentType } from '@attestry/server/pipeline/headers.ts'
import { readAddresses, type Sent } from '@attestry/server/pipeline/parameters/readAddresses.ts'
import { createParameterReader } from '@attestry/server/pipeline/parameters/readParameters.ts'
import { readBodyMembers } from '@attestry/server/pipeline/parameters/readBody.ts'
import { manyMax } from '@attestry/server/pipeline/parameters/readBody.ts'
import { judgementBytes, type Verdict } from './evaluatePolicy.ts'
import { findPolicy } from './gatePolicies.ts'
import { judgeSubjects } from './judgeSubjects.ts'
import { policyParameter } from './policyParameter.ts'
import { scoreVerdicts, type ScoredVerdict } from './scoreVerdicts.ts'

const bodyBytesMax = 2 * 1024 * 1024
const parameters = { policy: policyParameter }
const readParameters = createParameterReader(parameters)
const exampleSubject = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'

const request = Type.Object({
  options: Type.Optional(Type.Unknown({ description: 'Not read.' })),
  network: Type.Union([Type.String(), Type.Integer()], { description: 'Number of the chain of the block.' }),
  snapshot: Type.Union([Type.String(), Type.Integer()], { description: 'A block, or latest.' }),
  addresses: Type.Array(Type.String(), { minItems: 1, maxItems: manyMax, description: 'Who votes.' }),
})

const answer = Type.Object({
  score: Type.Array(
    Type.Object({
      address: Type.String(),
      score: Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })], {
        description: 'Decimal digits as text where a number of JSON would be rounded.',
      }),
      unknown: Type.Optional(
        Type.String({ description: 'Why the score of this address is not known; `score` is 0 then.' }),
      ),
    }),
    {
      description: 'One for each address, in the order of the addresses.',
    },
  ),
})

/**
 * The scores for the strategy `api-post` of Snapshot (docs/gate.md). A policy gives each voter 1 or 0, the number of its
 * records, or the sum of a field of these records.
 */
export function addSnapshotEndpoint(app: FastifyInstance, context: GateContext): void {
  app.register((scope, _options, done) => {
    addBodyParser(scope, context.bodies, { bytesMax: bodyBytesMax })
    scope.route<{ Params: Record<string, string> }>({
      method: 'POST',
      url: '/snapshot/:policy',
      config: {
        operation: {
          method: 'post',
          summary: 'The scores of a policy, as the strategy api-post of Snapshot asks for them',
          description:
            'The policy says what a score is; it is 0 for an address that the policy does not let through.',
          parameters,
          request: {
            schema: request,
            example: { network: '11155111', snapshot: 'latest', addresses: [exampleSubject] },
          },
          body: {
            mediaType: 'application/json',
            description: 'The scores.',
            schema: answer,
            example: { score: [{ address: exampleSubject, score: 1 }] },
          },
        },
      },
      handler: async ({ body, params, raw }, reply) => {
        const { values } = readParameters(params, raw.url ?? '')
        const policy = findPolicy(context.policies, values.policy)
        const sent = readSnapshotBody(typeof body === 'string' ? body : '')
        const reader = readUntilClosed(context.reader, reply.raw)
        const subjects = sent.addresses.map(({ value }) => value)
        const { verdicts, scores } = await context.judging.run(
          judgementBytes(policy, subjects.length),
          async () => {
            const judged = await judgeSubjects({ ...context, reader }, policy, subjects, sent.asOf, scored)
            const unknown = judged.verdicts.find((verdict) => verdict.unknown === 'chain')
            // Scores of 0 would be votes that are not counted.
            if (unknown !== undefined) throw new VerdictUnknownError(unknown.reasons.join(' '))
            const { verdicts: some } = judged
            return { verdicts: some, scores: await scoreVerdicts({ ...context, reader }, policy, some) }
          },
        )
        // Strangers may make one subject unknown: that concerns no other vote.
        const score = scores.map((each, index) => ({
          address: sent.addresses[index]?.text,
          score: inJson(each),
          ...(verdicts[index]?.unknown == null ? {} : { unknown: verdicts[index].reasons.join(' ') }),
        }))
        return reply
          .headers({ 'content-type': jsonContentType, 'cache-control': 'no-store', ...corsHeaders })
          .send(JSON.stringify({ score }))
      },
    })
    done()
  })
}

/** The members of a verdict that scores follow from. */
function scored({
  verdict,
  unknown,
  records,
  reasons,
}: Verdict): ScoredVerdict & Pick<Verdict, 'unknown' | 'reasons'> {
  return { verdict, unknown, records, reasons: unknown === null ? [] : reasons }
}

function readSnapshotBody(text: string): {
  readonly addresses: readonly Sent<Address>[]
  readonly asOf: AskedMoment | null
} {
  const { network, snapshot, addresses } = readBodyMembers(text, [
    'options',
    'network',
    'snapshot',
    'addresses',
  ])
  return {
    addresses: readAddresses('addresses', addresses),
    asOf: snapshot === 'latest' ? null : parseAsOf(`${plain(network)}:${plain(snapshot)}`),
  }
}

/** The strategy makes a text of a score, and reads decimal digits of any length. */
function inJson(score: bigint): number | string {
  return Number.isSafeInteger(Number(score)) ? Number(score) : String(score)
}

/** A number or a text as text. */
function plain(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}
