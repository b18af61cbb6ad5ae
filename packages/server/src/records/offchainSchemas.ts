import { Type } from 'typebox'
import {
  address,
  decodedValues,
  digits,
  exactly,
  hash,
  includedNames,
  orNull,
  pageOf,
  stepOf,
} from './payloadSchemas.ts'

/** The payloads of off-chain records and of anchors, as TypeBox schemas; see `payloadSchemas.ts`. */

const ipfsHash = Type.String({ description: 'The content identifier of the stored text on IPFS.' })
const blockTime = Type.Integer({ minimum: 0, description: 'Time of its block, in Unix seconds.' })

export const signSchemaAnswer = exactly(
  {
    id: Type.String({ description: 'SPS_….' }),
    mode: Type.Literal('offchain', { description: 'Where the record lives.' }),
    schemaId: Type.String({ description: 'The same.' }),
    registrant: address('Account that signed it.'),
    registerTimestamp: digits('When it was stored, in Unix seconds.'),
    name: Type.String({ description: 'May be empty.' }),
    description: Type.String({ description: 'May be empty.' }),
    revocable: Type.Boolean({ description: 'Whether attestations under it can be revoked.' }),
    maxValidFor: Type.Integer({ minimum: 0, description: 'Seconds; 0 without limit. Nothing enforces it.' }),
    dataLocation: Type.String({ description: 'Where the signer wanted payloads to be kept.' }),
    resolver: Type.Literal('', { description: 'Always empty.' }),
    data: Type.Array(Type.Unsafe<unknown>({}), { description: 'The fields.' }),
  },
  'A stored schema of Sign Protocol.',
  'SignSchema',
)

const summary = {
  id: Type.String({
    pattern: '^(offchain_evm_[0-9]+_0x[0-9a-f]{64}|SPA_.+)$',
    description: 'Id of the off-chain attestation.',
  }),
  mode: Type.Literal('offchain', { description: 'Where the record lives.' }),
  chainType: Type.Literal('evm', { description: 'The kind of chain.' }),
  chainId: Type.String({
    pattern: '^[0-9]*$',
    description: 'The chain that was signed; empty with Sign Protocol.',
  }),
  attestationId: Type.String({ description: 'Its uid, or its id with Sign Protocol.' }),
  schemaId: Type.String({ description: "Local id of its schema, or Sign Protocol's id." }),
  attester: address('Account that signed it.'),
  attestTimestamp: digits('When it was made as the signer claims, or else stored, in Unix seconds.'),
  recipients: Type.Array(Type.String(), { description: 'Checksummed addresses, or texts.' }),
}

const included = {
  decodedData: Type.Optional(
    decodedValues('With `include=decoded`: the payload decoded; null if it cannot be.'),
  ),
  decodedDataError: Type.Optional(orNull(Type.String(), 'Why `decodedData` is null; otherwise null.')),
  protocol: Type.Optional(Type.String({ description: 'With `include=protocol`: the protocol.' })),
  ...includedNames,
}

const schemaIdentity = {
  id: Type.String({ description: 'Composite id of the schema, or `SPS_…`.' }),
  schemaId: summary.schemaId,
  name: Type.String({ description: 'May be empty.' }),
}

export const offchainRow = exactly(
  {
    ...summary,
    schema: Type.Optional(
      exactly(
        { ...schemaIdentity, chainType: summary.chainType, chainId: summary.chainId },
        'With `fields=detail`: its schema.',
      ),
    ),
    ...included,
  },
  'An off-chain attestation in a listing, with `mode=offchain`.',
  'OffchainAttestation',
)

/** The listing with `mode=offchain`. */
export const offchainList = Type.Union([pageOf(offchainRow), stepOf(offchainRow)])

export const singleOffchain = exactly(
  {
    ...summary,
    transactionHash: Type.Literal('', { description: 'Always empty.' }),
    indexingValue: Type.String({ description: 'Sign Protocol alone has one.' }),
    fullSchemaId: schemaIdentity.id,
    linkedAttestation: Type.String({ description: 'Id of the record that it refers to; empty without one.' }),
    validUntil: digits('Until when it is valid, in Unix seconds; 0: for ever.'),
    data: Type.String({ description: "The payload: `0x…`, or the JSON of Sign Protocol's." }),
    dataLocation: Type.Literal('OFFCHAIN', { description: 'Always this value.' }),
    revoked: Type.Boolean({ description: 'Whether its signer revoked it.' }),
    revokeTimestamp: orNull(digits('Unix seconds.'), 'When; null unless revoked.'),
    revokeReason: orNull(Type.String(), 'Why; null unless revoked.'),
    revokeTransactionHash: Type.Literal('', { description: 'Always empty.' }),
    schema: exactly(
      { ...schemaIdentity, data: Type.Array(Type.Unsafe<unknown>({}), { description: 'Its fields.' }) },
      'Its schema.',
    ),
    timestampedAt: orNull(
      Type.Integer(),
      'When its uid was first anchored, in Unix seconds; null for never.',
    ),
    anchors: Type.Array(
      exactly(
        {
          type: Type.String({ description: 'Name of the event.' }),
          protocol: Type.String({ description: 'Name of the protocol.' }),
          chainId: digits('Decimal number of the chain.'),
          account: orNull(address('Account that made it.'), 'Null where the event names nobody.'),
          timestamp: Type.Integer({ description: 'Time of its block, in Unix seconds.' }),
          transactionHash: Type.String({ description: 'Transaction that made it.' }),
        },
        'An anchor.',
      ),
      { maxItems: 100, description: 'What chains say of its uid or id, newest first.' },
    ),
    ipfsHash,
    storedTimestamp: Type.Integer({ description: 'When it was stored here, in Unix seconds.' }),
    envelope: Type.String({ description: 'The text as it was handed in.' }),
    signers: Type.Optional(
      Type.Array(address('An account.'), {
        description: 'The accounts with a record of this id, ascending; absent where there is only one.',
      }),
    ),
    ...included,
  },
  'An off-chain attestation.',
  'OffchainAttestationDetail',
)

export const anchorRow = exactly(
  {
    type: Type.String({
      description: "Name of the event in the protocol's contract.",
      examples: ['Timestamped'],
    }),
    protocol: Type.String({ description: 'Name of the protocol.', examples: ['eas'] }),
    chainId: digits('Decimal number of the chain.'),
    value: Type.String({ description: 'The uid, hash or id that was anchored.' }),
    account: orNull(address('An account.'), 'Account that made it; null where the event names nobody.'),
    timestamp: blockTime,
    blockNumber: Type.Integer({ minimum: 0, description: 'Number of its block.' }),
    transactionHash: hash('Transaction that made it.'),
    reason: Type.String({ description: 'Of a revocation; empty where the event has none.' }),
  },
  'An off-chain anchor.',
  'Anchor',
)
