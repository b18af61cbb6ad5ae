import { Type, type TSchema } from 'typebox'
import { checkNames } from '@attestry/core/model/offchainRecord.ts'
import {
  address,
  decodedValues,
  digits,
  exactly,
  hash,
  namedValues,
  orNull,
} from '@attestry/server/records/payloadSchemas.ts'

import { stateProofOf } from '../stateProofs/stateProofPayload.ts'

/** The bodies and payloads of docs/offchain.md, "Over HTTP", as TypeBox schemas; see `payloadSchemas.ts`. */

/** Any JSON object: a body of another form is a 200 with the check `format` not ok. */
export const verifyRequest = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'An envelope of EAS or BAS (`sig`, `signer`), `{"url"}` with a link that holds one, or the body that ' +
      "Sign Protocol's client sends (`signType`, `publicKey`, `signature`, `message`, `attestation`).",
  },
)

export const verifiedOffchain = exactly(
  {
    valid: Type.Boolean({ description: 'Whether every check is ok.' }),
    protocol: orNull(Type.Enum(['eas', 'sign'], { description: 'Null where the input cannot be read.' })),
    uid: orNull(hash('Uid of the attestation; null with Sign Protocol.')),
    signer: orNull(address('Account that is said to have signed it.')),
    chainId: orNull(digits('Chain that was signed; null with Sign Protocol.')),
    schemaId: orNull(Type.String({ description: "Local id of its schema, or Sign Protocol's id." })),
    recipient: orNull(Type.String({ description: 'Its recipient; null without one, or with several.' })),
    recipients: Type.Array(Type.String(), { description: 'All its recipients.' }),
    time: orNull(digits('When it was made, as the signer claims, in Unix seconds.')),
    expirationTime: orNull(digits('When it expires, in Unix seconds; 0: never.')),
    linkedAttestation: orNull(Type.String({ description: 'Local id of the attestation that it refers to.' })),
    decodedData: decodedValues(
      "The payload by the fields of its schema, or the members of Sign Protocol's JSON; null if it cannot be decoded.",
    ),
    decodedDataError: orNull(Type.String({ description: 'Why `decodedData` is null.' })),
    timestampedAt: orNull(
      Type.Integer({
        minimum: 0,
        description: 'When its uid was first anchored on its chain, in Unix seconds.',
      }),
    ),
    revokedAt: orNull(
      Type.Integer({ minimum: 0, description: 'When its signer revoked it on its chain, in Unix seconds.' }),
    ),
    expired: Type.Boolean({ description: 'Whether `expirationTime` is in the past.' }),
    checks: checksOf([...checkNames], 'Every check, also of an input that cannot be read.'),
    proof: Type.Optional(
      orNull(
        stateProofOf('anchor', 'AnchorStateProof'),
        'With prove: a proof of state that its signer has, or has not, revoked it; null without one.',
      ),
    ),
    proofError: Type.Optional(orNull(Type.String({ description: 'With prove: why `proof` is null.' }))),
  },
  'What is known of an off-chain attestation.',
  'VerifiedOffchain',
)

const salt = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })

export const verifyPrivateRequest = exactly(
  {
    attestationId: Type.String({
      pattern: '^onchain_evm_[0-9]+_0[xX][0-9a-fA-F]+$',
      description: 'Composite id of the attestation that holds the root.',
    }),
    proof: Type.Object(
      {
        leaves: Type.Array(
          Type.Object({ type: Type.String(), name: Type.String(), value: Type.Unknown(), salt }),
          { description: 'The values that are revealed.' },
        ),
        proof: Type.Array(Type.String()),
        proofFlags: Type.Array(Type.Boolean()),
      },
      { description: "A multiproof of `PrivateData` of EAS's SDK." },
    ),
  },
  'A proof of private data.',
  'VerifyPrivateRequest',
)

export const privateChecks = ['format', 'root', 'proof', 'expiry', 'revocation'] as const

export const verifiedPrivate = exactly(
  {
    valid: Type.Boolean({ description: 'Whether every check is ok.' }),
    root: orNull(hash('The root that the attestation holds; null where it holds none.')),
    revealed: namedValues('The values that the proof reveals; proven only where `valid` is true.'),
    checks: checksOf([...privateChecks], 'Every check.'),
  },
  'What a proof of private data shows.',
  'VerifiedPrivate',
)

function checksOf(names: string[], description: string): TSchema {
  return Type.Array(
    exactly(
      {
        name: Type.Enum(names, { description: 'What was checked.' }),
        ok: Type.Boolean({ description: 'Whether it passed.' }),
        message: Type.String({ description: 'What was found, in a sentence.' }),
        unknown: Type.Optional(Type.Literal(true, { description: 'Set where the check could not be made.' })),
      },
      'A check.',
    ),
    { description },
  )
}
