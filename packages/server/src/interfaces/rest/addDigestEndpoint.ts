import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { mapRegistries } from '@attestry/core/model/indexedContract.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'
import type { DigestedEvent, StoredDigest } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { aboutChains } from '../../pipeline/asOf/openView.ts'
import { choiceParameter } from '../../pipeline/parameters/choiceParameter.ts'
import { chainIdParameter, type Identified } from '../../pipeline/parameters/idParameters.ts'
import { integerParameter } from '../../pipeline/parameters/integerParameter.ts'
import type { Parameter } from '../../pipeline/parameters/parameter.ts'
import { chainDigest } from './activitySchemas.ts'
import { address, compositeId, count, digits, exactly, hash, orNull } from '../../records/payloadSchemas.ts'

const contract = exactly(
  {
    protocol: Type.String({ description: 'Name of its protocol.', examples: ['eas'] }),
    address: address('Address of the contract.'),
    schemaRegistry: orNull(
      address('Address of the registry.'),
      'Of EAS and Verax; null for other protocols.',
    ),
    portalRegistry: Type.Optional(address('Address of the registry of portals, of Verax alone.')),
    moduleRegistry: Type.Optional(address('Address of the registry of modules, of Verax alone.')),
    reputationRegistry: Type.Optional(address('Address of the registry of feedback, of ERC-8004 alone.')),
    validationRegistry: Type.Optional(address('Address of the registry of validations, of ERC-8004 alone.')),
    startBlock: count('The first block that is indexed of it.'),
  },
  'A contract.',
  'DigestedContract',
)

const event = exactly(
  {
    type: Type.Enum(['schema', 'attestation', 'revocation', 'name', 'anchor', 'metadata', 'undecodable'], {
      description:
        'What the event is; `name`: the name that the attestation of the same log gives to a schema; `metadata`: what a contract says of a portal, module or schema beside the records.',
    }),
    eventIndex: count('Index of its log among the indexed logs of the block, from 0.'),
    id: orNull(
      compositeId('record'),
      'The record that the event makes, revokes or names; null where it does none of these.',
    ),
    digest: hash('The digest of this event alone.'),
  },
  'An event.',
  'DigestedEvent',
)

/** The payload; `attestry verify --against` reads the one of another service. */
export const digestPayload = exactly(
  {
    chainId: digits('Decimal number of the chain.'),
    digest: chainDigest,
    contracts: Type.Array(contract, { description: 'The contracts whose events the digest is of.' }),
    events: Type.Optional(
      Type.Array(event, { description: 'With include=events: the events of the block, in their order.' }),
    ),
  },
  'The digest of a chain at a block.',
  'DigestAtBlock',
)

const chainParameter: Parameter<Identified<ChainId> | null> = {
  ...chainIdParameter,
  in: 'path',
  schema: Type.String({ pattern: '^[0-9]+$', description: 'Decimal number of the chain.', examples: ['10'] }),
  absent: null,
}

/** The digest of a chain at any indexed block (docs/proofs.md, "Digest of a chain"). */
export function addDigestEndpoint(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/chains/:chainId/digest',
    summary: 'The digest of what a chain says by its events up to a block',
    description:
      'Two indexes of the same contracts have the same digest of a block if they have the same events up to it.',
    parameters: {
      chainId: chainParameter,
      block: integerParameter({
        name: 'block',
        description: 'The block; by default the newest of the digest.',
        minimum: 0,
        maximum: blockNumberMax,
        absent: null,
      }),
      include: choiceParameter({
        name: 'include',
        description: 'events: also the events of the block.',
        choices: ['events'],
      }),
    },
    data: digestPayload,
    // A digest says of which block it is.
    about: () => aboutChains([]),
    answer: async (_reader, { chainId, block, include }) => {
      const found = chainId?.kind === 'known' ? await context.reader.findDigest(chainId.value, block) : null
      if (found === null || chainId?.kind !== 'known') {
        throw new NotFoundError('The chain is not indexed here; /scan/chains lists the chains that are.')
      }
      const data = presentDigest(chainId.value, found, block, include === 'events')
      // Blocks without events move the digest's block, but not the version of the index.
      return { data, followsClock: true }
    },
  })
}

function presentDigest(
  chainId: ChainId,
  { newest, asked, contracts, events }: StoredDigest,
  block: number | null,
  withEvents: boolean,
) {
  if (block !== null && asked === null) {
    const reached = newest.blockNumber === null ? 'has no block yet' : `reaches block ${newest.blockNumber}`
    throw new BadParameterError(
      `block must be at most the block of the newest digest; the digest of chain ${chainId} ${reached}.`,
    )
  }
  return {
    chainId: String(chainId),
    digest: asked ?? newest,
    contracts: contracts.map((each) => ({
      ...each,
      address: checksumAddress(each.address),
      schemaRegistry: each.schemaRegistry === null ? null : checksumAddress(each.schemaRegistry),
      ...mapRegistries(each, checksumAddress),
    })),
    ...(withEvents ? { events: events.map(presentDigestedEvent) } : {}),
  }
}

/** An event as the payload has it. */
export function presentDigestedEvent({ type, eventIndex, record, value }: DigestedEvent) {
  return { type, eventIndex, id: record === null ? null : formatCompositeId(record), digest: value }
}
