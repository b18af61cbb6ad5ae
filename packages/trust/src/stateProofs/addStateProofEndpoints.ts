import type { FastifyInstance } from 'fastify'
import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, parseHash, type Hash } from '@attestry/core/model/hex.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import { aboutChains } from '@attestry/server/pipeline/asOf/openView.ts'
import { agentIdParameter } from '@attestry/server/pipeline/parameters/agentIdParameter.ts'
import { choiceParameter } from '@attestry/server/pipeline/parameters/choiceParameter.ts'
import {
  addressFilterParameter,
  aboutIds,
  chainIdParameter,
  chainsOfListed,
  idFilterParameter,
  ofProtocol,
  type Identified,
} from '@attestry/server/pipeline/parameters/idParameters.ts'
import type { EndpointAnswer } from '@attestry/server/pipeline/endpoint.ts'
import {
  optionalParameter,
  required,
  type Parameter,
} from '@attestry/server/pipeline/parameters/parameter.ts'
import { idProtocolParameter } from '@attestry/server/pipeline/parameters/protocolParameters.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { Type } from 'typebox'
import type { StateProver, TakenProof, WantedProof } from '../commands/createStateProver.ts'
import { notProvenBy } from './describeStateProof.ts'
import { createKnownBlocks } from './knownBlocks.ts'
import { stateProofOf } from './stateProofPayload.ts'
import { wantedAnchor, wantedCount, wantedHolder, wantedReputation } from './wantedProofs.ts'

/** The hash of the block of a kept proof. */
export const keptBlockParameter = hashParameter(
  'block',
  'Hash of a block at which a proof was taken: that proof, if it is still kept, and whether the block became final.',
)

/** Proofs of what contracts keep beside attestations, at the newest block (docs/proofs.md, "Proofs of state"). */
export function addStateProofEndpoints(app: FastifyInstance, context: ApiContext, prover: StateProver): void {
  addEndpoint(app, context, {
    path: '/scan/anchors/proof',
    summary: 'A proof that an account has, or has not, revoked an off-chain attestation of EAS',
    description: 'From the storage of the contract at the newest block, with the time of its timestamp.',
    parameters: {
      chainId: required(chainIdParameter),
      account: required(addressFilterParameter('account', 'The signer.')),
      uid: required(hashParameter('uid', 'The uid of the off-chain attestation.')),
      block: keptBlockParameter,
    },
    data: stateProofOf('anchor', 'AnchorStateProof'),
    about: ({ chainId }) => aboutChains(chainsOfListed(chainId)),
    answer: async (reader, { chainId, account, uid, block }) => {
      const wanted = await wantedAnchor(reader, { chainId: knownChain(chainId), account, uid })
      return await answerStateProof(context, prover, wanted, block)
    },
  })

  addEndpoint(app, context, {
    path: '/scan/chains/:chainId/count/proof',
    summary: 'A proof of how many attestations a contract of Sign Protocol or Verax has made',
    description: 'From the counter in the storage of the contract at the newest block.',
    parameters: {
      chainId: { ...required(chainIdParameter), in: 'path' },
      protocol: required(
        choiceParameter({
          name: 'protocol',
          description: 'The protocol; contracts of others keep no counter.',
          choices: ['sign', 'verax'],
        }),
      ),
      block: keptBlockParameter,
    },
    data: stateProofOf('count', 'CountStateProof'),
    about: ({ chainId }) => aboutChains(chainsOfListed(chainId)),
    answer: async (reader, { chainId, protocol, block }) => {
      const wanted = await wantedCount(reader, knownChain(chainId), protocol)
      return await answerStateProof(context, prover, wanted, block)
    },
  })

  addEndpoint(app, context, {
    path: '/scan/agents/:id/reputation/proof',
    summary: 'A proof of the complete feedback of an agent of ERC-8004',
    description:
      'From the storage of the registry at the newest block: its clients, and each feedback of theirs.',
    parameters: {
      id: agentIdParameter,
      client: addressFilterParameter('client', 'Only feedback of this account.'),
      block: keptBlockParameter,
    },
    data: stateProofOf('reputation', 'ReputationStateProof'),
    about: ({ id }) => aboutChains([id.chainId]),
    answer: async (reader, { id, client, block }) =>
      await answerStateProof(context, prover, await wantedReputation(reader, id, client), block),
  })

  addEndpoint(app, context, {
    path: '/scan/holders/proof',
    summary:
      'A proof that an address holds a valid attestation, or, by the issuer’s index on chain, that it does not',
    description:
      'From the storage of the contracts at the newest block. Without a known index on chain, no proof of absence exists: a 409 says so.',
    parameters: {
      address: required(addressFilterParameter('address', 'The address.')),
      schemaId: required(idFilterParameter('schemaId', 'Composite id of the schema.')),
      attester: required(addressFilterParameter('attester', 'The attester.')),
      protocol: idProtocolParameter,
      block: keptBlockParameter,
    },
    data: stateProofOf('holder', 'HolderStateProof'),
    about: ({ schemaId }) => aboutIds([schemaId], 'schema'),
    answer: async (reader, { address, schemaId, attester, protocol, block }) => {
      const asked = ofProtocol(schemaId, protocol)
      const schema = asked.kind === 'known' ? await reader.findSchema(asked.value) : null
      if (schema === null) {
        throw new NotFoundError('The schema is not indexed here; /scan/schemas lists those that are.')
      }
      const { key } = schema
      const now = unixSeconds(Math.floor(context.now() / 1000))
      const wanted = { address, schema: key, protocol: key.protocol, attester, now }
      return await answerStateProof(context, prover, await wantedHolder(reader, wanted), block)
    },
  })
}

/**
 * The answer with a proof: a new one, or the kept one of a block.
 * @throws NotFoundError if no proof of the block is kept; ProofImpossibleError, ProofUnavailableError, OverloadedError.
 */
export async function answerStateProof<Shape>(
  context: Pick<ApiContext, 'reader' | 'readHeader'>,
  prover: StateProver,
  wanted: WantedProof,
  block: Hash | null,
): Promise<EndpointAnswer<Shape>> {
  const taken = await proveState(context, prover, wanted, block)
  // The kind of the claim is that of the endpoint. Proofs are large, and the prover keeps them.
  return { data: presentStateProof(taken) as Shape, followsClock: true }
}

async function proveState(
  { reader, readHeader }: Pick<ApiContext, 'reader' | 'readHeader'>,
  prover: StateProver,
  wanted: WantedProof,
  block: Hash | null,
): Promise<TakenProof> {
  const blocks = createKnownBlocks(reader, readHeader)
  if (block === null) return await prover.prove(wanted, blocks)
  const kept = await prover.findKept(wanted, block, blocks)
  if (kept !== null) return kept
  throw new NotFoundError(`No proof at the block ${block} is kept; without block, a new one is taken.`, {
    mayCome: false,
  })
}

/** A proof as answers have it: addresses with their checksums, and what is not proven beside it. */
export function presentStateProof({ proof, at, blockState, keptBecause }: TakenProof): object {
  const { accounts, claim, contracts, layout, says, ...rest } = proof
  return {
    ...rest,
    claim: withChecksums(claim),
    layout: withChecksums(layout),
    contracts: withChecksums(contracts),
    says: withChecksums(says),
    accounts: accounts.map((account) => ({ ...account, address: checksumAddress(account.address) })),
    taken: { at, blockState, keptBecause },
    notProven: notProvenBy(proof),
  }
}

function withChecksums(value: unknown): unknown {
  if (typeof value === 'string') {
    const address = value.length === 42 ? parseAddress(value) : null
    return address === null ? value : checksumAddress(address)
  }
  if (Array.isArray(value)) return value.map(withChecksums)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withChecksums(each)]))
}

function hashParameter(name: string, description: string): Parameter<Hash | null> {
  const schema = Type.String({
    pattern: '^0[xX][0-9a-fA-F]{64}$',
    description,
    examples: [`0x${'5a'.repeat(32)}`],
  })
  return optionalParameter(name, schema, (text) => {
    const hash = parseHash(text)
    if (hash !== null) return hash
    throw new BadParameterError(
      `${name} must be 0x followed by 64 hexadecimal digits; it was ${quoteInput(text)}.`,
    )
  })
}

function knownChain(chainId: Identified<ChainId>): ChainId {
  if (chainId.kind === 'known') return chainId.value
  throw new NotFoundError('The chain is not indexed here; /scan/chains lists the chains that are.')
}
