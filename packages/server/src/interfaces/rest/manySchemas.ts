import { Type } from 'typebox'
import { asOfSchema } from '../../pipeline/asOf/parseAsOf.ts'
import { manyMax } from '../../pipeline/parameters/readBody.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { unixSecondsMax } from '../../pipeline/parameters/timeParameters.ts'
import { compositeId, digits, exactly, orNull } from '../../records/payloadSchemas.ts'

/** The bodies and payloads of docs/api.md, "Many at once", as TypeBox schemas; see `payloadSchemas.ts`. */

const idPattern = '^onchain_evm_[0-9]+_0[xX][0-9a-fA-F]+$'
const addressPattern = '^0[xX][0-9a-fA-F]{40}$'

export const statusRequest = exactly(
  {
    ids: Type.Array(Type.String({ pattern: idPattern }), {
      minItems: 1,
      maxItems: manyMax,
      description: 'Composite ids of attestations.',
    }),
    protocol: Type.Optional(idProtocolParameter.schema),
    asOf: Type.Optional(asOfSchema),
  },
  'Attestations.',
  'StatusRequest',
)

function indexedChains() {
  return Type.Array(
    exactly(
      {
        chainId: digits('Decimal number of the chain.'),
        indexedBlock: wholeOrNull('The newest block whose events are in the index; null before any is.'),
        indexedTimestamp: wholeOrNull('Its time, in Unix seconds.'),
        reason: orNull(
          Type.String(),
          'Why records or revocations may be missing; null while the chain is up to date.',
        ),
      },
      'How far a chain is indexed.',
      'IndexedChain',
    ),
    {
      description:
        'Every chain, and each one that was asked about, by number, in the state of the index that the rows are of.',
    },
  )
}

export const attestationStatuses = exactly(
  {
    rows: Type.Array(
      exactly(
        {
          id: Type.String({ description: 'As it was sent.', examples: ['onchain_evm_11155111_0x1a'] }),
          status: Type.Enum(['valid', 'revoked', 'expired', 'unknown'], {
            description: 'Revoked goes before expired; unknown: not indexed.',
          }),
        },
        'An attestation and its status.',
        'AttestationStatus',
      ),
      { maxItems: manyMax, description: 'One for each id, in the order of the ids.' },
    ),
    chains: indexedChains(),
  },
  'The status of attestations.',
  'AttestationStatuses',
)

export const holdersRequest = exactly(
  {
    addresses: Type.Array(Type.String({ pattern: addressPattern }), {
      minItems: 1,
      maxItems: manyMax,
      description: 'Addresses, in any case; their checksums are not looked at.',
    }),
    schemaId: Type.String({ pattern: idPattern, description: 'Composite id of the schema.' }),
    protocol: Type.Optional(idProtocolParameter.schema),
    attester: Type.Optional(
      orNull(
        Type.String({ pattern: addressPattern }),
        'Only attestations that this account made; null: by anyone.',
      ),
    ),
    maxStaleness: Type.Optional(
      Type.Union(
        [Type.String({ pattern: '^[0-9]{1,9}[smhdw]$' }), Type.Integer({ minimum: 1 }), Type.Null()],
        {
          description:
            'The age that the index of the chain may have for a yes or a no: a number and a unit (s, m, h, d, w), or seconds; 10m by default.',
          examples: ['10m'],
        },
      ),
    ),
    validAt: Type.Optional(
      wholeOrNull('Valid at that time, in Unix seconds; null, or without it: valid now.', unixSecondsMax),
    ),
    asOf: Type.Optional(asOfSchema),
  },
  'Addresses, and what they may hold.',
  'HoldersRequest',
)

export const holders = exactly(
  {
    rows: Type.Array(
      exactly(
        {
          address: Type.String({
            description: 'As it was sent.',
            examples: ['0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'],
          }),
          attestation: orNull(
            compositeId('attestation'),
            'The newest valid attestation that names the address as a recipient; null for none.',
          ),
          verdict: Type.Enum(['yes', 'no', 'unknown'], {
            description:
              'Whether the address holds one; unknown while the index of the chain is older than maxStaleness, records are known to be missing, or strangers sent the address too many.',
          }),
          unknown: Type.Optional(
            Type.String({
              description:
                'Why it is not known whether the address holds one: strangers sent it too many attestations that do not count.',
            }),
          ),
        },
        'An address and what it holds.',
        'Holder',
      ),
      { maxItems: manyMax, description: 'One for each address, in the order of the addresses.' },
    ),
    chains: indexedChains(),
  },
  'The holders among some addresses.',
  'Holders',
)

function wholeOrNull(description: string, maximum = Number.MAX_SAFE_INTEGER) {
  return orNull(Type.Integer({ minimum: 0, maximum }), description)
}
