import { Type, type TSchema } from 'typebox'
import { address, count, digits, exactly, hash, orNull } from '../../records/payloadSchemas.ts'

/** The payloads of statistics, series and chains as TypeBox schemas; see `payloadSchemas.ts`. */

const date = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A day, in UTC.' })
const chainId = digits('Decimal number of the chain.')
const protocol = Type.String({ description: 'Name of the protocol.', examples: ['sign'] })

export const schemaDay = exactly(
  { date, attestationCount: count('Attestations made under the schema on that day.') },
  'A day of a schema.',
  'SchemaDay',
)

export const addressDay = exactly(
  {
    date,
    schemaCreated: count('Schemas that the address registered on that day.'),
    attestationCreated: count('Attestations that the address made.'),
    attestationReceived: count('Attestations that the address received.'),
  },
  'A day of an address.',
  'AddressDay',
)

/** A series of days, oldest first. */
export function seriesOf<Day extends TSchema>(day: Day) {
  return exactly(
    { rows: Type.Array(day, { description: 'Oldest first; days on which nothing happened are left out.' }) },
    'Counts by day.',
  )
}

export const recordCounts = {
  schemaCount: count('Schemas.'),
  attestationCount: count('Attestations, revoked ones too.'),
  revocationCount: count('Attestations that were revoked.'),
}

const day = exactly(
  {
    date,
    schemaCount: count('Schemas registered on that day.'),
    attestationCount: count('Attestations made on that day.'),
  },
  'A day.',
  'Day',
)
const days = Type.Array(day, { description: 'Oldest first; days on which nothing happened are left out.' })

export const indexStatistics = exactly(
  {
    ...recordCounts,
    protocols: Type.Array(
      exactly({ chainId, protocol, ...recordCounts, days }, 'A protocol on a chain.', 'ProtocolStatistics'),
      {
        description: 'The same by chain and protocol.',
      },
    ),
    days,
  },
  'The totals of the index.',
  'IndexStatistics',
)

const anchorEvent = Type.String({ description: 'Name of the event.', examples: ['Timestamped'] })

export const addressAnchors = exactly(
  {
    rows: Type.Array(
      exactly(
        { chainId, event: anchorEvent, count: count('Anchors that the address made.') },
        'Off-chain anchors of one kind on a chain.',
      ),
      { description: 'By number of the chain, then by event.' },
    ),
  },
  'Off-chain anchors that an address made.',
  'AddressAnchors',
)

const block = Type.Integer({ minimum: 0 })
const seconds = Type.Integer({ minimum: 0 })

const link = (what: string) =>
  Type.String({ description: `${what} goes behind it.`, examples: ['https://sepolia.etherscan.io/tx/'] })

const explorerLinks = exactly(
  { address: link('An address'), transaction: link('A transaction hash'), block: link('A block number') },
  'The prefixes of its links.',
  'ExplorerLinks',
)

export const chainDigest = exactly(
  {
    version: count('Digests of different versions cannot be compared.'),
    blockNumber: orNull(block, 'The block up to which it counts events; null while nothing is indexed.'),
    eventCount: count('How many events it counts.'),
    value: hash('The sum of the hashes of the events.'),
  },
  'The digest of the chain: equal in two indexes of the same contracts that hold the same up to the block.',
  'ChainDigest',
)

function completeness(description: string) {
  return Type.Enum(['counted', 'compared', 'split', 'unverified'], { description })
}

/** The members of a chain that `/readyz` has as well. */
export const chainState = {
  chainId,
  name: Type.String({ description: 'Name in the configuration.' }),
  explorer: orNull(explorerLinks, 'The block explorer of the chain; null if none is known.'),
  protocols: Type.Array(Type.String(), { description: 'Names of the protocols that are indexed on it.' }),
  phase: Type.Enum(['starting', 'backfilling', 'following', 'retrying', 'stopped', 'paused'], {
    description: 'The activity of its indexer.',
  }),
  headBlock: orNull(block, 'The newest block that an endpoint reported; null before any did.'),
  headTimestamp: orNull(seconds, 'Time of the block, in Unix seconds.'),
  headSource: Type.Enum(['subscription', 'polling'], {
    description: "How new heads are heard of: from an endpoint's subscription, or by polling.",
  }),
  indexedBlock: orNull(block, 'The newest block whose events are in the index; null before any is.'),
  indexedTimestamp: orNull(seconds, 'Time of the block, in Unix seconds.'),
  fromChunks: orNull(
    Type.Integer({ minimum: 0, maximum: 100 }),
    'The percentage of its published events that are indexed, while it is read from chunks; null otherwise.',
  ),
  lastError: orNull(Type.String(), 'The current error, in a sentence; null without one.'),
  fieldsPending: count(
    'Attestations whose decoded fields are still to be indexed; until then, filters on them look at payloads.',
  ),
  digest: chainDigest,
}

const chain = exactly(
  {
    ...chainState,
    deployments: Type.Array(
      exactly(
        {
          protocol,
          name: Type.String({
            description: 'The name by which people know it: its own, or that of the protocol.',
            examples: ['BAS'],
          }),
          address: address('The contract that makes attestations.'),
          startBlock: Type.Integer({ minimum: 0, description: 'The block from which on it is indexed.' }),
        },
        'The contracts of a protocol.',
      ),
      { description: 'The contracts whose events are indexed on it.' },
    ),
    secondsBehind: orNull(
      seconds,
      'For how long the chain may have gone on without the index: since the indexer last found itself at the head, or else since the ' +
        'indexed block; null where neither is known.',
    ),
    secondsSinceReport: orNull(
      seconds,
      'The time since the indexer last reported about the chain: minutes mean that it is not running. Null if none has.',
    ),
    defect: orNull(
      Type.String(),
      'Why records are known to be missing or wrong, in a sentence; null if none are known to be.',
    ),
    finality: orNull(
      count('Blocks.'),
      'Number of blocks below the head that may still change; null where no indexer has said so.',
    ),
    verification: orNull(
      exactly(
        {
          at: Type.Integer({ minimum: 0, description: 'Time of the verification, in Unix seconds.' }),
          upToBlock: orNull(block, 'The block of the comparison; null where none was compared.'),
          blocks: count('Blocks that were compared with the chain.'),
          events: count('Events in these blocks.'),
          differences: count('Differences that were found.'),
          isComplete: Type.Boolean({
            description: 'Whether everything that was asked for could be compared.',
          }),
        },
        'A verification.',
      ),
      'The last comparison with the chain by `attestry verify`; null before the first.',
    ),
    completeness: completeness('The weakest of all contracts of the chain.'),
    history: Type.Array(
      exactly(
        {
          protocol,
          address: address('The contract that makes attestations.'),
          completeness: completeness('How it is known that the index has all logs of the contract.'),
          toBlock: orNull(block, 'The block up to which that is known; null where nothing is.'),
          records: orNull(count('Records.'), 'The records that were counted; null where they were not.'),
          blocks: orNull(count('Blocks.'), 'The blocks that were asked for again; null for none.'),
          logs: orNull(count('Logs.'), 'The logs of the contract in these blocks; null for none.'),
          reason: orNull(Type.String(), 'Why the history is `unverified`; null where it is not.'),
        },
        'A contract.',
      ),
      { description: 'How complete the history of each contract is.' },
    ),
    ...recordCounts,
    offchainAnchors: Type.Array(
      exactly({ event: anchorEvent, count: count('Number of anchors.') }, 'One kind.'),
      {
        description: 'Off-chain anchors by event; they are not records.',
      },
    ),
  },
  'A chain.',
  'Chain',
)

export const chainList = exactly(
  { rows: Type.Array(chain, { description: 'Every chain of the index, by number.' }) },
  'The chains and their freshness.',
  'ChainList',
)
