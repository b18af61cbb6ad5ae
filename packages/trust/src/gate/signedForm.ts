import { Type } from 'typebox'
import { BadParameterError, BadRequestError } from '@attestry/core/errors/apiErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { GateContext } from './gateContext.ts'
import { parseAcceptHeader } from '@attestry/server/pipeline/answers/acceptHeader.ts'
import type { BodyDescription } from '@attestry/server/pipeline/endpoint.ts'
import { parseChainId } from '@attestry/core/model/compositeId.ts'
import { choiceParameter } from '@attestry/server/pipeline/parameters/choiceParameter.ts'
import { addressFilterParameter } from '@attestry/server/pipeline/parameters/idParameters.ts'
import {
  optionalParameter,
  type Parameter,
  type ParameterValues,
} from '@attestry/server/pipeline/parameters/parameter.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { digits } from '@attestry/server/records/payloadSchemas.ts'
import type { GatePolicies } from './gatePolicies.ts'
import { typedAnswer, typedExample } from './gateSchemas.ts'
import type { Judgement } from './judgeSubjects.ts'
import type { Policy } from './policy.ts'
import { signVerdict } from './signVerdict.ts'

const lengthMax = 256

/** The other forms of a verdict (docs/gate.md), by what a request asks for. */
export const formDescriptions = {
  jws: {
    mediaType: 'application/jose',
    description: 'The verdict, signed.',
    schema: Type.String({
      pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
      description:
        'A compact JWS. Its claims are subject, verdict, policy, policyHash, asOf, at, iat, exp, and the aud and nonce of the request.',
    }),
    example: 'eyJhbGciOiJFZERTQSJ9.eyJ2ZXJkaWN0IjoiYWxsb3cifQ.c2lnbmF0dXJl',
  },
  eip712: {
    mediaType: 'application/vnd.attestry.eip712+json',
    description: 'An allow as signed typed data; the verdict with a signature of null where it is no allow.',
    schema: typedAnswer,
    example: typedExample,
  },
  text: {
    mediaType: 'text/plain',
    description: 'true or false; or the 65 bytes of the signature as 0x and hexadecimal digits.',
    schema: Type.String({ pattern: '^(true|false|0x[0-9a-f]{130})$' }),
    example: 'true',
  },
} as const satisfies Readonly<Record<string, BodyDescription>>

type FormName = keyof typeof formDescriptions

const signedSchema = Type.Union([Type.Boolean(), Type.Literal('eip712')], {
  description:
    `true: the verdict as a signed JWS; the same as \`Accept: ${formDescriptions.jws.mediaType}\`. eip712: an allow as ` +
    `typed data that contracts check; the same as \`Accept: ${formDescriptions.eip712.mediaType}\`.`,
})

const { read: readSigned } = choiceParameter({
  name: 'signed',
  description: '',
  choices: ['true', 'false', 'eip712'],
})

/** The parameters of a signed verdict. */
export const signedParameters = {
  signed: optionalParameter('signed', signedSchema, readSigned),
  audience: claimParameter('aud', 'For whom a verdict signed as JWS is; its claim aud.'),
  nonce: claimParameter(
    'nonce',
    'What a signed verdict answers, such as a random text; its claim nonce. For a contract, an unsigned integer.',
  ),
  verifyChainId: optionalParameter(
    'verifyChainId',
    digits('Chain of the contract that checks the typed data.'),
    readVerifyChain,
  ),
  verifyingContract: addressFilterParameter('verifyingContract', 'The contract that checks the typed data.'),
} as const

/** The same with the bare forms. */
export const bareParameters = {
  ...signedParameters,
  as: choiceParameter({
    name: 'as',
    description:
      'text: true or false, and a 503 for unknown. signature: the signature of typed data, a 404 for deny and a 503 for unknown.',
    choices: ['text', 'signature'],
  }),
} as const

export type SignedValues = ParameterValues<typeof signedParameters>

type FormValues = SignedValues & Partial<ParameterValues<typeof bareParameters>>

/**
 * The form that a request asks for; null for the envelope.
 * @throws BadParameterError for a claim of a verdict that is not signed so.
 */
export function askedForm(values: FormValues, accept: string | undefined): FormName | null {
  const { signed, as = null, audience, nonce, verifyChainId, verifyingContract } = values
  if (as !== null && (signed === 'true' || (signed !== null && as === 'text'))) {
    throw new BadParameterError(`as=${as} does not go with signed=${signed}; send one of them.`)
  }
  const form = as === null ? (signed === null ? acceptedForm(accept) : formOfSigned[signed]) : 'text'
  const isTyped = form === 'eip712' || as === 'signature'
  if (audience !== null && form !== 'jws') {
    throw new BadParameterError('aud is a claim of a signed verdict; send it with signed=true.')
  }
  if (nonce !== null && form !== 'jws' && !isTyped) {
    throw new BadParameterError(
      'nonce is a claim of a signed verdict; send it with signed=true or signed=eip712.',
    )
  }
  const [domainName] = [
    verifyChainId === null ? [] : ['verifyChainId'],
    verifyingContract === null ? [] : ['verifyingContract'],
  ].flat()
  if (domainName !== undefined && !isTyped) {
    throw new BadParameterError(
      `${domainName} is for verdicts that contracts check; send it with signed=eip712.`,
    )
  }
  return form
}

const formOfSigned = { true: 'jws', false: null, eip712: 'eip712' } as const

/** The signed form that a header weighs most; of equal ones, the first. */
function acceptedForm(accept = ''): FormName | null {
  const accepted = parseAcceptHeader(accept).filter(({ weight }) => weight > 0)
  const [first] = accepted
    .toSorted((one, other) => other.weight - one.weight)
    .flatMap(({ name }) =>
      (['jws', 'eip712'] as const).filter((form) => formDescriptions[form].mediaType === name),
    )
  return first ?? null
}

function readVerifyChain(text: string): number {
  const chainId = parseChainId(text)
  if (chainId !== null) return chainId
  throw new BadParameterError(
    `verifyChainId must be the decimal number of a chain; it was ${quoteInput(text)}.`,
  )
}

/** The parts of a question to the gate that decide whether its verdict is signed. */
export interface SignedQuestion {
  readonly policy: Policy
  readonly name: string | null
  readonly subjects: readonly unknown[]
  readonly asOf: unknown
}

/**
 * Checks that the verdict of a question may be signed: a signed verdict is about the present, and about a policy that
 * this server stands for (docs/adr/0052-two-have-to-agree.md).
 * @throws BadParameterError for several subjects, a state of the past, and a policy that is not signed here.
 */
export function checkSignable(
  { signsInline }: Pick<GatePolicies, 'signsInline'>,
  { name, subjects, asOf }: SignedQuestion,
): void {
  if (subjects.length !== 1) {
    throw new BadParameterError(`A signed verdict is of one subject; subjects has ${subjects.length}.`)
  }
  if (asOf !== null) {
    throw new BadParameterError(
      'A signed verdict is of the newest state; leave out asOf and at, or ask for the verdict unsigned.',
    )
  }
  if (name === null && !signsInline) {
    throw new BadParameterError(
      'This server signs verdicts of its own policies only; policy must be a name of /scan/policies.',
    )
  }
}

/**
 * The only verdict of a judgement as a JWS.
 * @throws BadRequestError if the server has no key.
 * @throws BadParameterError as `checkSignable`.
 */
export async function signJudgement(
  { signingKey, now, policies }: Pick<GateContext, 'signingKey' | 'now' | 'policies'>,
  asked: SignedQuestion,
  judge: () => Promise<Judgement>,
  { audience, nonce }: SignedValues,
): Promise<string> {
  if (signingKey === null) {
    throw new BadRequestError(
      'This server signs no verdicts; its configuration has no key under server.gate.',
    )
  }
  checkSignable(policies, asked)
  const { verdicts, asOf, at } = await judge()
  const judged = onlyVerdict(verdicts)
  const claims = {
    subject: checksumAddress(judged.subject),
    verdict: judged.verdict,
    policy: asked.name,
    policyHash: asked.policy.hash,
    asOf,
    at,
  }
  return signVerdict(signingKey, claims, { audience, nonce }, Math.floor(now() / 1000))
}

export function onlyVerdict<Shown>([verdict]: readonly Shown[]): Shown {
  if (verdict === undefined) throw new TypeError('a subject has no verdict')
  return verdict
}

function claimParameter(name: string, description: string): Parameter<string | null> {
  return optionalParameter(name, Type.String({ maxLength: lengthMax, description }), (text) => {
    if (text.length <= lengthMax) return text
    throw new BadParameterError(
      `${name} must be a text of at most ${lengthMax} characters; it has ${text.length}.`,
    )
  })
}
