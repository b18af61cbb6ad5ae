import { Type } from 'typebox'
import { asOfSchema } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import { manyMax } from '@attestry/server/pipeline/parameters/readBody.ts'
import { compositeId, digits, exactly, orNull } from '@attestry/server/records/payloadSchemas.ts'
import { stateProofOf } from '../stateProofs/stateProofPayload.ts'

/** The bodies and payloads of docs/gate.md, as TypeBox schemas; see `payloadSchemas.ts`. */

const addressPattern = '^0[xX][0-9a-fA-F]{40}$'

const wholeOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), description)

export const chainMoments = Type.Array(
  exactly(
    {
      chainId: digits('Decimal number of the chain.'),
      block: wholeOrNull('The newest block that counted; null where only the time is known.'),
      hash: orNull(Type.String(), 'Its hash.'),
      timestamp: wholeOrNull('Its time, in Unix seconds; null where the index does not keep it.'),
    },
    'Up to where a chain counted.',
    'ChainMoment',
  ),
  { description: 'The chains of the policy.' },
)

export const policyHash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  description: 'SHA-256 of the policy as canonical JSON (RFC 8785), named policies in place of their names.',
})

export const gateRequest = exactly(
  {
    policy: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
      description: 'The name of a policy of this server, or a policy itself.',
    }),
    subjects: Type.Array(Type.String({ pattern: addressPattern }), {
      minItems: 1,
      maxItems: manyMax,
      description: 'Addresses, in any case; their checksums are not looked at.',
    }),
    asOf: Type.Optional(
      Type.Union([asOfSchema, chainMoments], {
        description: 'As of a moment; or, beside at, the asOf of an answer, in whose state is judged again.',
      }),
    ),
    at: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The at of the answer whose asOf is sent, in Unix seconds.' }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        description: 'Whether rows say of each term what it comes to; for at most 100 subjects.',
      }),
    ),
    prove: Type.Optional(
      Type.Boolean({
        description:
          'Whether the answer has a proof of the state of each record that decided, at the newest block; for at most 5 subjects.',
      }),
    ),
  },
  'A policy, and who is judged.',
  'GateRequest',
)

const explainedTerm = exactly(
  {
    path: Type.String({
      description: 'Where the term stands within the policy; empty for the whole.',
      examples: ['all[0].not'],
    }),
    kind: Type.Enum(['all', 'any', 'not', 'atLeast', 'holds'], { description: 'The member of the term.' }),
    truth: Type.Enum(['true', 'false', 'unknown'], { description: 'unknown: a chain is too old or absent.' }),
    because: Type.Array(compositeId('attestation'), { description: 'The records that a holds has found.' }),
    reason: Type.String({ description: 'A sentence that says why.' }),
  },
  'A term, and what it comes to for the subject.',
  'ExplainedTerm',
)

const verdictMembers = {
  rows: Type.Array(
    exactly(
      {
        subject: Type.String({
          description: 'As it was sent.',
          examples: ['0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'],
        }),
        verdict: Type.Enum(['allow', 'deny', 'unknown'], {
          description: 'unknown: the index of a chain that the policy needs is too old, or there is none.',
        }),
        because: Type.Array(compositeId('attestation'), { description: 'The records that decided.' }),
        reasons: Type.Array(Type.String(), { description: 'One sentence for each term that decided.' }),
        terms: Type.Optional(
          Type.Array(explainedTerm, {
            description: 'With explain: the terms of the policy, each before the terms within.',
          }),
        ),
      },
      'A subject and the verdict.',
      'Verdict',
    ),
    { maxItems: manyMax, description: 'One for each subject, in the order of the subjects.' },
  ),
  asOf: chainMoments,
  at: Type.Integer({ minimum: 0, description: 'When expiry and ages were counted, in Unix seconds.' }),
  policyHash,
} as const

export const gateAnswer = exactly(
  {
    ...verdictMembers,
    proofs: Type.Optional(
      Type.Array(
        exactly(
          {
            id: compositeId('attestation'),
            proof: orNull(
              stateProofOf('attestation', 'AttestationStateProof'),
              'Its state at the newest block; null if it could not be proven.',
            ),
            proofError: orNull(Type.String(), 'Why `proof` is null.'),
          },
          'A record that decided.',
          'ProvenRecord',
        ),
        { description: 'With prove: the records that decided, each once.' },
      ),
    ),
  },
  'The verdicts of a policy. A verdict says that records exist or not, never that somebody is safe.',
  'Verdicts',
)

const typedFields = Type.Array(Type.Object({ name: Type.String(), type: Type.String() }))

/** An `allow` as typed data (EIP-712), or any other verdict without a signature. */
export const typedAnswer = Type.Union([
  exactly(
    {
      domain: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'name, version, chainId, verifyingContract and salt, of those that the domain has.',
      }),
      types: Type.Record(Type.String(), typedFields, { description: 'Without EIP712Domain.' }),
      primaryType: Type.String({ description: 'The type of the message; Verdict by default.' }),
      message: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Integers of more than 64 bits are decimal digits.',
      }),
      signature: Type.String({ pattern: '^0x[0-9a-f]{130}$', description: 'r, s and v.' }),
      signer: Type.String({ description: 'The address of the key that signed.' }),
    },
    'Signed typed data.',
    'TypedVerdict',
  ),
  exactly({ ...verdictMembers, signature: Type.Null() }, 'A verdict that is no allow.', 'UnsignedVerdicts'),
])

export const typedExample = {
  domain: {
    name: 'Attestry',
    version: '1',
    chainId: 10,
    verifyingContract: '0x742d35Cc6634C0532925a3b844Bc454e4438f44e',
  },
  types: { Verdict: [{ name: 'subject', type: 'address' }] },
  primaryType: 'Verdict',
  message: { subject: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5' },
  signature: `0x${'5f'.repeat(64)}1b`,
  signer: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
}

export const policiesAnswer = exactly(
  {
    rows: Type.Array(
      exactly(
        {
          name: Type.String({ description: 'What the configuration calls the policy.', examples: ['kyc'] }),
          policyHash,
          policy: Type.Record(Type.String(), Type.Unknown(), {
            description: 'The policy, with the policies that it names in place of their names.',
          }),
          chainIds: Type.Array(digits('Decimal number of a chain.'), {
            description: 'The chains that the policy needs.',
          }),
        },
        'A policy of this server.',
        'Policy',
      ),
      { description: 'In the order of the configuration.' },
    ),
    allowsInline: Type.Boolean({ description: 'Whether a request may bring a policy of its own.' }),
    signs: Type.Boolean({ description: 'Whether verdicts are signed as JWS where a request asks for it.' }),
    signer: orNull(
      Type.String(),
      'The address whose signatures contracts check (signed=eip712); null where this server has none.',
    ),
  },
  'The policies of this server.',
  'Policies',
)

export const jwksAnswer = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        crv: Type.String(),
        x: Type.String(),
        y: Type.Optional(Type.String()),
        kid: Type.String({
          description:
            'Its thumbprint (RFC 7638), or eip155: and the address of a key whose verdicts contracts check.',
        }),
        use: Type.Literal('sig'),
        alg: Type.String(),
      }),
    ),
  },
  { description: 'A set of keys (RFC 7517); empty where this server signs nothing.' },
)
