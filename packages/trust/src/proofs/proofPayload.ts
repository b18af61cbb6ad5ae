import { Type } from 'typebox'
import { proofFormat, proofVersion } from '@attestry/core/model/recordProof.ts'
import { count, exactly } from '@attestry/server/records/payloadSchemas.ts'

/** The payload of a proof as a TypeBox schema; see `payloadSchemas.ts`. */

const bytes = (description: string) =>
  Type.String({ pattern: '^0x([0-9a-f]{2})*$', description, examples: ['0xf90262a0'] })
const hash = (description: string) => Type.String({ pattern: '^0x[0-9a-f]{64}$', description })

export const recordProof = exactly(
  {
    format: Type.Literal(proofFormat, { description: 'The name of the format.' }),
    version: Type.Literal(proofVersion, { description: 'The version of the format.' }),
    event: Type.Enum(['schema', 'attestation', 'revocation'], {
      description: 'The event: a schema was registered, an attestation made, or an attestation revoked.',
    }),
    id: Type.String({
      pattern: '^onchain_evm_[0-9]+_0x[0-9a-f]+$',
      description: 'Composite id of the record. No block states its chain.',
    }),
    protocol: Type.String({ description: 'Name of the protocol.', examples: ['sign'] }),
    block: exactly(
      {
        number: count('Number of the block.'),
        hash: hash('Hash of the block: the hash of headerRlp.'),
        parentHash: hash('Hash of the previous block.'),
        timestamp: count('Time of the block, in Unix seconds.'),
        receiptsRoot: hash('Root of the trie of its receipts.'),
        headerRlp: bytes('Its header as it is hashed.'),
      },
      'The block that holds the event.',
    ),
    transactionIndex: count('Index of the transaction in the block, from 0: the key of its receipt.'),
    logIndex: count('Index of the log in the block, from 0. The proof does not cover it.'),
    receiptLogIndex: count('Index of the log in the receipt, from 0.'),
    receiptProof: Type.Array(bytes('A node of the trie, as its RLP.'), {
      description: 'The nodes from the root to the receipt.',
    }),
    log: exactly(
      {
        address: Type.String({
          pattern: '^0x[0-9a-fA-F]{40}$',
          description: 'The contract that emitted the log.',
        }),
        topics: Type.Array(hash('A topic.'), {
          description: 'Topics of the log; the first names the event.',
        }),
        data: bytes('Its data.'),
      },
      'The log.',
    ),
  },
  'A proof of an event of a record.',
  'RecordProof',
)
