import { Type } from 'typebox'
import { address, count, digits, exactly, hash, orNull } from '@attestry/server/records/payloadSchemas.ts'
import { layoutNames, stateProofFormat, stateProofVersion } from './stateProof.ts'

/** The payload of a state proof as a TypeBox schema; see `payloadSchemas.ts`. */

const bytes = (description: string) => Type.String({ pattern: '^0x([0-9a-f]{2})*$', description })
const nodes = (description: string) => Type.Array(bytes('A node, as its RLP.'), { description })
const id = (description: string) => Type.String({ pattern: '^onchain_evm_[0-9]+_0x[0-9a-f]+$', description })
const localId = (description: string) => Type.String({ pattern: '^0x[0-9a-f]+$', description })
const time = (description: string) =>
  Type.Union([Type.Null(), Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })], {
    description: `${description} Unix seconds, as digits beyond 2^53 - 1.`,
  })

const kindOf = <const Kind extends string>(kind: Kind) =>
  Type.Literal(kind, { description: 'The kind of the claim.' })

const feedbackKey = exactly(
  {
    agentId: digits('Number of the agent.'),
    client: address('The client.'),
    index: digits('Number of the feedback of this client, from 1.'),
  },
  'The feedback that the id is the hash of.',
)

const claims = {
  attestation: exactly(
    { kind: kindOf('attestation'), id: id('The attestation.'), feedback: Type.Optional(feedbackKey) },
    'The state of an attestation.',
  ),
  anchor: exactly(
    {
      kind: kindOf('anchor'),
      account: address('The account that may have revoked the uid.'),
      uid: hash('The uid of an off-chain attestation.'),
      witness: id('A record of the contract, which shows the layout.'),
    },
    'Revocation and timestamp of an off-chain attestation.',
  ),
  count: exactly(
    {
      kind: kindOf('count'),
      witness: orNull(id(''), 'A record of the contract, which shows the layout; null if none is needed.'),
    },
    'The counter of a contract.',
  ),
  reputation: exactly(
    {
      kind: kindOf('reputation'),
      agentId: digits('Number of the agent.'),
      client: orNull(address(''), 'The only client whose feedback counts; null: all clients.'),
      witness: orNull(
        exactly({ agentId: digits('The agent.'), client: address('The client.') }, 'Other feedback.'),
        'Other feedback, which shows the layout; null if none is needed.',
      ),
    },
    'The complete feedback of an agent.',
  ),
  holder: exactly(
    {
      kind: kindOf('holder'),
      address: address('The address.'),
      schemaId: localId('Local id of the schema.'),
      attester: address('The attester.'),
      attestation: orNull(id(''), 'The attestation; null where an index on chain names it.'),
      index: orNull(
        exactly(
          {
            name: Type.Enum(['coinbase', 'passport', 'eas-indexer'], { description: 'Its kind.' }),
            contract: address('The contract that keeps it.'),
          },
          'An index on chain.',
        ),
        'The issuer’s index on chain; null without one.',
      ),
      witness: orNull(
        exactly({ address: address('A holder.'), attestation: hash('Its uid.') }, 'An entry.'),
        'An entry of the index, which shows the layout; null if none is needed.',
      ),
    },
    'Whether an address holds an attestation.',
  ),
} as const

const says = {
  attestation: exactly(
    {
      exists: Type.Literal(true, { description: 'The contract has the attestation.' }),
      revoked: Type.Boolean({ description: 'Whether it is revoked.' }),
      revokedAt: time('When it was revoked; null unless revoked, or if the contract keeps no time.'),
      expiresAt: time('When it expires; null without expiry.'),
      dataHash: orNull(
        hash(''),
        'Keccak-256 of the payload; null above 24,576 bytes, and if the contract does not keep the payload.',
      ),
      schemaId: orNull(localId(''), 'Local id of the schema; null if the contract does not keep it.'),
      attester: address('The attester.'),
      recipients: orNull(Type.Array(Type.String()), 'The recipients; null if they are not proven.'),
    },
    'The state of an attestation.',
  ),
  anchor: exactly(
    {
      revoked: Type.Boolean({ description: 'Whether the account revoked the uid.' }),
      revokedAt: time('When the account revoked it; null for never.'),
      timestampedAt: time('When anybody timestamped it; null for never.'),
    },
    'Revocation and timestamp.',
  ),
  count: exactly(
    {
      attestations: orNull(
        digits(''),
        'Attestations ever made; null if the contract does not keep its first number.',
      ),
      lastId: orNull(
        localId(''),
        'Local id of the newest attestation; null if it is not known, or there is none.',
      ),
    },
    'The counter.',
  ),
  reputation: exactly(
    {
      clients: Type.Array(
        exactly(
          {
            client: address('The client.'),
            feedback: Type.Array(
              exactly(
                {
                  index: digits('Its number, from 1.'),
                  value: Type.String({ pattern: '^-?[0-9]+$', description: 'The value times 10^decimals.' }),
                  decimals: count('Its decimals.'),
                  revoked: Type.Boolean({ description: 'Whether it is revoked.' }),
                },
                'One feedback.',
              ),
            ),
          },
          'The feedback of a client.',
        ),
        { description: 'All clients, or the one that was asked for.' },
      ),
      count: count('Feedback of these clients.'),
      revoked: count('Revoked feedback among it.'),
    },
    'The feedback.',
  ),
  holder: exactly(
    {
      holds: orNull(Type.Boolean(), 'Whether the address holds one; null if neither is proven.'),
      attestation: orNull(localId(''), 'Local id of the valid attestation; null without one.'),
      expiresAt: time('When it expires; null without expiry, or without an attestation.'),
    },
    'The answer.',
  ),
} as const

const contractCode = (description: string) =>
  exactly({ address: address('The contract.'), codeHash: hash('Keccak-256 of its code.') }, description)

/** The payload of a claim of one kind. */
export function stateProofOf<Kind extends keyof typeof claims>(kind: Kind, name: string) {
  return exactly(
    {
      format: Type.Literal(stateProofFormat, { description: 'The name of the format.' }),
      version: Type.Literal(stateProofVersion, { description: 'The version of the format.' }),
      chainId: digits('Decimal number of the chain. No block states its chain.'),
      protocol: Type.String({ description: 'Name of the protocol.', examples: ['eas'] }),
      claim: claims[kind],
      block: exactly(
        {
          number: count('Number of the block.'),
          hash: hash('Hash of the block: the hash of headerRlp.'),
          parentHash: hash('Hash of the previous block.'),
          timestamp: count('Time of the block, in Unix seconds.'),
          stateRoot: hash('Root of the trie of the state after the block.'),
          headerRlp: bytes('Its header as it is hashed.'),
        },
        'The block after which the state is proven.',
      ),
      layout: exactly(
        {
          name: Type.Enum([...layoutNames], { description: 'Name of the storage layout.' }),
          contract: address('The contract of the records.'),
          slots: Type.Record(Type.String(), hash('A slot.'), { description: 'Slots of its variables.' }),
        },
        'Where the words of the claim stand.',
      ),
      contracts: Type.Array(
        exactly(
          {
            address: address('The contract.'),
            codeHash: hash('Keccak-256 of its code.'),
            implementation: orNull(
              contractCode('The contract whose code a proxy runs.'),
              'Null if the contract is no proxy of EIP-1967.',
            ),
          },
          'A contract.',
        ),
        { description: 'The contracts that the claim was read from; the first one decides.' },
      ),
      says: says[kind],
      accounts: Type.Array(
        exactly(
          {
            address: address('The account.'),
            codeHash: hash('Keccak-256 of its code.'),
            accountProof: nodes('The nodes from the state root to the account.'),
            storageProof: Type.Array(
              exactly(
                {
                  key: hash('The slot.'),
                  value: hash('The word.'),
                  proof: nodes('The nodes from the root of the storage.'),
                },
                'A word.',
              ),
              { description: 'The words that decide.' },
            ),
          },
          'An account, as in EIP-1186.',
        ),
        { description: 'The accounts and words that decide, and no other.' },
      ),
      taken: exactly(
        {
          at: count('When the proof was taken, in Unix seconds.'),
          blockState: Type.Enum(['final', 'indexed', 'left', 'unknown'], {
            description:
              'Whether the block became final, is part of the chain as it is indexed, has left the chain, or is not known yet. Not proven.',
          }),
          keptBecause: orNull(Type.String(), 'Why no newer proof was taken; null if there was no need.'),
        },
        'When the proof was taken.',
      ),
      notProven: Type.Array(Type.String(), { description: 'What the proof does not show.' }),
    },
    'A proof of what a contract’s storage says after a block.',
    name,
  )
}
