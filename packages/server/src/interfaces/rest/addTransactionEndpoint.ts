import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { aboutChains } from '../../pipeline/asOf/openView.ts'
import {
  chainsOfListed,
  transactionChainParameter,
  transactionHashParameter,
} from '../../pipeline/parameters/idParameters.ts'
import { waitParameter } from '../../pipeline/waits/waitParameter.ts'
import { includeProtocolParameter, presentWith } from '../../records/include.ts'
import {
  attestationRow,
  compositeId,
  count,
  digits,
  exactly,
  hash,
  schemaRow,
} from '../../records/payloadSchemas.ts'
import { presentRow } from '../../records/presentAttestation.ts'
import { presentSchemaRow } from '../../records/presentSchema.ts'

const transaction = exactly(
  {
    transactionHash: hash('The transaction.'),
    chainId: digits('Decimal number of the chain.'),
    blockNumber: count('The block of the transaction.'),
    schemas: Type.Array(schemaRow, { description: 'Schemas that it registered.' }),
    attestations: Type.Array(attestationRow, { description: 'Attestations that it made.' }),
    revocations: Type.Array(compositeId('attestation'), { description: 'Attestations that it revoked.' }),
  },
  'What a transaction did, each in the order of the chain.',
  'Transaction',
)

/** The records of one transaction (docs/api.md, "Read what you wrote"). */
export function addTransactionEndpoint(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/transactions/:hash',
    summary: 'What a transaction registered, made and revoked',
    description:
      'In the order of the chain. With `wait`, the answer comes as soon as something of the transaction is indexed.',
    parameters: {
      hash: transactionHashParameter,
      chainId: transactionChainParameter,
      include: includeProtocolParameter,
      wait: waitParameter,
    },
    tool: {
      name: 'get_transaction',
      description: 'The schemas, attestations and revocations of one transaction.',
    },
    data: transaction,
    about: ({ chainId }) => aboutChains(chainsOfListed(chainId)),
    wait: ({ hash: transactionHash, wait }) => ({
      seconds: wait,
      record: { kind: 'transaction', hash: transactionHash },
    }),
    answer: async (_reader, { hash: transactionHash, chainId, include }) => {
      // Attestations without a log have a transaction of zeros (docs/adr/0022).
      const known = chainId?.kind !== 'unknown' && transactionHash !== zeroHash
      const found = known
        ? await context.reader.findTransaction(transactionHash, chainId?.value ?? null)
        : null
      if (found === null) {
        throw new NotFoundError(
          `Nothing of the transaction ${transactionHash} is indexed here; wait=30 answers as soon as something is.`,
        )
      }
      return {
        data: {
          transactionHash,
          chainId: String(found.chainId),
          blockNumber: found.blockNumber,
          schemas: found.schemas.map(presentWith(include, context, presentSchemaRow)),
          attestations: found.attestations.map(presentWith(include, context, presentRow)),
          revocations: found.revocations.map(formatCompositeId),
        },
      }
    },
  })
}
