import { Type } from 'typebox'
import { BadParameterError, BadRequestError } from '@attestry/core/errors/apiErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { GateContext } from './gateContext.ts'
import { parseAcceptHeader } from '@attestry/server/pipeline/answers/acceptHeader.ts'
import type { BodyDescription } from '@attestry/server/pipeline/endpoint.ts'
import { booleanParameter } from '@attestry/server/pipeline/parameters/choiceParameter.ts'
import {
  optionalParameter,
  type Parameter,
  type ParameterValues,
} from '@attestry/server/pipeline/parameters/parameter.ts'
import type { Judgement } from './judgeSubjects.ts'
import type { Policy } from './policy.ts'
import { signVerdict } from './signVerdict.ts'

const mediaType = 'application/jose'
const lengthMax = 256

/** The second form of a verdict: a JWS (docs/gate.md). */
export const signedDescription: BodyDescription = {
  mediaType,
  description: 'The verdict, signed.',
  schema: Type.String({
    pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
    description:
      'A compact JWS. Its claims are subject, verdict, policy, policyHash, asOf, at, iat, exp, and the aud and nonce of the request.',
  }),
  example: 'eyJhbGciOiJFZERTQSJ9.eyJ2ZXJkaWN0IjoiYWxsb3cifQ.c2lnbmF0dXJl',
}

/** The parameters of a signed verdict. */
export const signedParameters = {
  signed: booleanParameter(
    'signed',
    `true: the verdict as a signed JWS; the same as \`Accept: ${mediaType}\`.`,
  ),
  audience: claimParameter('aud', 'For whom a signed verdict is; its claim aud.'),
  nonce: claimParameter('nonce', 'What a signed verdict answers, such as a random text; its claim nonce.'),
} as const

type SignedValues = ParameterValues<typeof signedParameters>

/** @throws BadParameterError for a claim of a verdict that is not signed. */
export function isSignedAsked(
  { signed, audience, nonce }: SignedValues,
  accept: string | undefined,
): boolean {
  const isAsked =
    signed ?? parseAcceptHeader(accept ?? '').some(({ name, weight }) => name === mediaType && weight > 0)
  const [claim] = [audience === null ? [] : ['aud'], nonce === null ? [] : ['nonce']].flat()
  if (isAsked || claim === undefined) return isAsked
  throw new BadParameterError(`${claim} is a claim of a signed verdict; send it with signed=true.`)
}

/** The parts of a question to the gate that decide whether its verdict is signed. */
interface SignedQuestion {
  readonly policy: Policy
  readonly name: string | null
  readonly subjects: readonly unknown[]
  readonly asOf: unknown
}

/**
 * The only verdict of a judgement, signed. A signed verdict is about the present, and about a policy that this server
 * stands for (docs/adr/0052-two-have-to-agree.md).
 * @throws BadRequestError if the server has no key.
 * @throws BadParameterError for several subjects, a state of the past, and a policy that is not signed here.
 */
export async function signJudgement(
  { signingKey, now, policies }: Pick<GateContext, 'signingKey' | 'now' | 'policies'>,
  { policy, name, subjects, asOf: asked }: SignedQuestion,
  judge: () => Promise<Judgement>,
  { audience, nonce }: SignedValues,
): Promise<string> {
  if (signingKey === null) {
    throw new BadRequestError(
      'This server signs no verdicts; its configuration has no key under server.gate.',
    )
  }
  if (subjects.length !== 1) {
    throw new BadParameterError(`A signed verdict is of one subject; subjects has ${subjects.length}.`)
  }
  if (asked !== null) {
    throw new BadParameterError(
      'A signed verdict is of the newest state; leave out asOf and at, or ask for the verdict unsigned.',
    )
  }
  if (name === null && !policies.signsInline) {
    throw new BadParameterError(
      'This server signs verdicts of its own policies only; policy must be a name of /scan/policies.',
    )
  }
  const { verdicts, asOf, at } = await judge()
  const [judged] = verdicts
  if (judged === undefined) throw new TypeError('a subject has no verdict')
  const claims = {
    subject: checksumAddress(judged.subject),
    verdict: judged.verdict,
    policy: name,
    policyHash: policy.hash,
    asOf,
    at,
  }
  return signVerdict(signingKey, claims, { audience, nonce }, Math.floor(now() / 1000))
}

function claimParameter(name: string, description: string): Parameter<string | null> {
  return optionalParameter(name, Type.String({ maxLength: lengthMax, description }), (text) => {
    if (text.length <= lengthMax) return text
    throw new BadParameterError(
      `${name} must be a text of at most ${lengthMax} characters; it has ${text.length}.`,
    )
  })
}
