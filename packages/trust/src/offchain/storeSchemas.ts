import { Type, type TSchema } from 'typebox'
import { exactly, orNull } from '@attestry/server/records/payloadSchemas.ts'

/** The bodies and payloads of the store of off-chain attestations, as TypeBox schemas; see `payloadSchemas.ts`. */

const ipfsHash = Type.String({ description: 'The content identifier of the stored text on IPFS.' })

export const storeRequest = Type.Object(
  {
    filename: Type.Optional(Type.String({ description: 'Not kept.' })),
    textJson: Type.Optional(
      Type.String({ description: 'The envelope as a text; without it, the body itself is the envelope.' }),
    ),
  },
  { additionalProperties: true, description: 'An envelope of EAS or BAS as easscan takes it.' },
)

export const storeAnswer = exactly(
  {
    error: Type.Null({ description: 'A sentence where the envelope is refused (422).' }),
    ipfsHash,
    offchainAttestationId: Type.String({ description: 'The uid.' }),
    id: Type.String({ description: 'The id of the record here.' }),
  },
  'What was stored.',
  'StoreAnswer',
)

export const storeFacts = exactly(
  {
    stores: Type.Boolean({ description: 'Whether off-chain attestations are stored.' }),
    needsKey: Type.Boolean({ description: 'Whether storing needs a key of the operator.' }),
    quota: orNull(
      exactly(
        {
          key: Type.Integer({ description: 'Of one key.' }),
          address: Type.Integer({ description: 'Of one signer.' }),
          bytes: Type.Integer({ description: 'Bytes of the statements of all.' }),
        },
        'Statements within a day (UTC); clients without a key share those of one key, and all share the bytes.',
      ),
      'How much may be stored; null where nothing is.',
    ),
  },
  'The store of off-chain attestations.',
  'StoreFacts',
)

export function signedBody(of: string): TSchema {
  const member = of === 'revocation' ? 'revokeInfo' : of
  return Type.Object(
    {
      signType: Type.Literal('evm-eip712'),
      publicKey: Type.String({ description: 'The address of the signer.' }),
      signature: Type.String(),
      message: Type.String({ description: 'The JSON of the typed data that was signed.' }),
      [member]: Type.String({ description: 'The JSON of the same content.' }),
    },
    { additionalProperties: true, description: 'What a client of Sign Protocol sends.' },
  )
}
