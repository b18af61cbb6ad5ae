import { Type } from 'typebox'
import {
  attestationDetail,
  count,
  digits,
  exactly,
  fields,
  orNull,
  revocable,
  schemaSummary,
  transactionSender,
} from '../../records/payloadSchemas.ts'

/** The answers of the SDK's paths, as TypeBox schemas; see `../rest/payloadSchemas.ts`. */

const milliseconds = (description: string) => digits(`${description}, in Unix milliseconds.`)

const common = {
  from: transactionSender,
  extra: exactly({}, 'Always this value.'),
  syncAt: milliseconds('When the record was indexed'),
}

const wholeSchema = {
  ...schemaSummary,
  ...common,
  revocable,
  maxValidFor: digits('Seconds that an attestation may stay valid, 0 for ever; a uint64.'),
  resolver: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'Contract that is called at each attestation; all zeros without one.',
  }),
  registerTimestamp: milliseconds('When it was registered'),
  data: fields,
  originalData: Type.String({ description: 'The text of the schema on chain.' }),
  attestationCount: count('Attestations ever made under the schema, revoked ones too.'),
  attesterCount: count('Distinct attesters of these attestations.'),
}

export const sdkSchema = exactly(wholeSchema, 'A schema, whole.', 'SdkSchema')

export const sdkAttestation = exactly(
  {
    ...attestationDetail,
    ...common,
    attestTimestamp: milliseconds('When it was made'),
    revokeTimestamp: orNull(digits('Unix milliseconds.'), 'Time of the revocation; null unless revoked.'),
    dataLocation: Type.Enum(['onchain', 'arweave', 'ipfs', 'custom'], {
      description: 'Where the payload is kept, in lower case.',
    }),
    lastSyncAt: orNull(
      digits('Unix milliseconds.'),
      'When the indexer last changed the record (a revocation); null if it never did.',
    ),
    schema: exactly(
      {
        ...wholeSchema,
        transactionHash: Type.String({
          pattern: '^(0x[0-9a-f]{64})?$',
          description: 'Transaction that registered the schema; empty if the schema is not indexed itself.',
        }),
      },
      'Its schema, complete.',
    ),
  },
  'An attestation, complete.',
  'SdkAttestation',
)
