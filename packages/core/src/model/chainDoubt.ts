import { secondsBehind, type ChainStatus, type Defect } from './chainState.ts'
import type { ChainId } from './compositeId.ts'
import type { FindPublished, IndexedContract } from './indexedContract.ts'
import type { ProtocolName } from './records.ts'
import type { UnixMilliseconds } from './time.ts'

/** The age up to which the index of a chain counts as fresh unless a request or a policy says otherwise, in seconds. */
export const maxStalenessDefault = 600

/** The parts of a chain that decide whether its index can be relied on. */
export interface JudgedChain {
  readonly status: Parameters<typeof secondsBehind>[0] & Pick<ChainStatus, 'chainId' | 'protocols'>
  readonly defect: Defect | null
  /** The contracts whose events are indexed. */
  readonly contracts: readonly Pick<IndexedContract, 'protocol' | 'address' | 'startBlock'>[]
  /** The block to which the index is about to be reverted, since its contracts changed; null for none. */
  readonly rewindTo: number | null
}

/**
 * Why an answer about a chain may lack records or revocations.
 * - `notIndexed`: the index does not have the chain.
 * - `otherProtocol`: the chain is indexed without protocols that the record of the question may be of.
 * - `late`: the chain is read from a later block on than the first one of a contract.
 * - `rewound`: the chain is about to be read again from a block on.
 * - `unread`: the index has not reached the first block of a contract.
 * - `empty`: no block of the chain is indexed yet.
 * - `old`: the index is older than the answer may be.
 * - `before`: the index has not reached the moment of the question.
 * - `defective`: records are known to be missing or wrong.
 */
export type ChainDoubt =
  | { readonly kind: 'notIndexed' | 'empty' }
  | {
      readonly kind: 'otherProtocol'
      readonly indexed: readonly ProtocolName[]
      readonly missing: readonly ProtocolName[]
    }
  | {
      readonly kind: 'late'
      readonly protocol: ProtocolName
      readonly startBlock: number
      readonly publishedBlock: number
    }
  | { readonly kind: 'rewound'; readonly fromBlock: number }
  | { readonly kind: 'unread'; readonly protocol: ProtocolName; readonly startBlock: number }
  | { readonly kind: 'old'; readonly seconds: number }
  | { readonly kind: 'before'; readonly at: number }
  | { readonly kind: 'defective'; readonly defect: Defect }

/** The freshness that an answer needs. */
export interface NeededFreshness {
  readonly now: UnixMilliseconds
  /** The age that the index may have, in seconds. */
  readonly maxStaleness: number
  /** The moment of the question; null for a question about the present. */
  readonly moment: NeededMoment | null
  /** The record that the question names; null for a question that names none. */
  readonly record: NeededRecord | null
  /** Tells which protocols a record may be of, and from which block on they have records. */
  readonly findPublished: FindPublished
}

/** A schema or attestation that a question names. A schema that is indexed has no record older than itself. */
export interface NeededRecord {
  /** The protocols that may have its id (`protocolsOfId`). */
  readonly protocols: readonly ProtocolName[]
  /** Whether the index has the record; true as well if that was not looked up: one of the protocols is enough then. */
  readonly isIndexed: boolean
}

/** A block that the index is known to have, by its number where that is known; or a time in Unix seconds. */
export type NeededMoment =
  | { readonly kind: 'block'; readonly number: number | null }
  | { readonly kind: 'time'; readonly at: number }

/**
 * Judges whether the index of a chain is fresh enough for an answer. All interfaces judge by this function.
 * @param chain undefined for a chain that is not indexed.
 * @returns null if it is.
 */
export function findDoubt(
  chain: JudgedChain | undefined,
  { now, maxStaleness, moment, record, findPublished }: NeededFreshness,
): ChainDoubt | null {
  if (chain === undefined) return { kind: 'notIndexed' }
  const { status, defect } = chain
  const missing = record === null ? [] : missingProtocols(status, record, findPublished)
  if (missing.length > 0) return { kind: 'otherProtocol', indexed: status.protocols, missing }
  const late = record === null ? null : findLate(chain, record, findPublished)
  if (late !== null) return late
  const lastBlock = moment?.kind === 'block' ? moment.number : null
  // A defect concerns the answers from its first block on.
  const isConcerned = lastBlock === null || (defect?.fromBlock ?? 0) <= lastBlock
  if (defect !== null && isConcerned) return { kind: 'defective', defect }
  const { rewindTo } = chain
  if (rewindTo !== null && (lastBlock === null || rewindTo < lastBlock))
    return { kind: 'rewound', fromBlock: rewindTo + 1 }
  if (moment?.kind === 'block') return null
  const age = secondsBehind(status, now)
  if (moment === null) {
    if (age === null) return { kind: 'empty' }
    return age <= maxStaleness ? findUnread(chain, record) : { kind: 'old', seconds: age }
  }
  // An idle chain makes no blocks: at its head, the index knows the chain up to the last look.
  const reached = Math.max(status.indexedTimestamp ?? -1, age === null ? -1 : Math.floor(now / 1000) - age)
  return reached >= moment.at ? null : { kind: 'before', at: moment.at }
}

/** The protocols that the record may be of and that the chain is not indexed for. */
function missingProtocols(
  { chainId, protocols: indexed }: JudgedChain['status'],
  { protocols, isIndexed }: NeededRecord,
  findPublished: FindPublished,
): readonly ProtocolName[] {
  // A chain that no indexer has opened yet is empty.
  if (indexed.length === 0) return []
  const missing = protocols.filter((protocol) => !indexed.includes(protocol))
  if (missing.length === protocols.length) return missing
  return isIndexed ? [] : missing.filter((protocol) => findPublished(chainId, protocol) !== null)
}

/** A contract of the record's protocols with blocks that are not read, if the record may be one of theirs. */
function findLate(
  { status: { chainId }, contracts }: JudgedChain,
  { protocols, isIndexed }: NeededRecord,
  findPublished: FindPublished,
): ChainDoubt | null {
  if (isIndexed) return null
  for (const { protocol, address, startBlock } of contracts) {
    const published = protocols.includes(protocol) ? findPublished(chainId, protocol) : null
    if (published?.contract !== address || published.startBlock === null) continue
    const { startBlock: publishedBlock } = published
    if (startBlock > publishedBlock) return { kind: 'late', protocol, startBlock, publishedBlock }
  }
  return null
}

function findUnread({ status, contracts }: JudgedChain, record: NeededRecord | null): ChainDoubt | null {
  const concerned = contracts.filter(({ protocol }) => record?.protocols.includes(protocol) ?? true)
  const unread = concerned.filter(({ startBlock }) => startBlock > (status.indexedBlock ?? -1))
  const [first] = unread
  if (first === undefined) return null
  if (record?.isIndexed === true && unread.length < concerned.length) return null
  return { kind: 'unread', protocol: first.protocol, startBlock: first.startBlock }
}

/**
 * A doubt in one sentence.
 * @param rule the clause that follows the age of an index: `; the policy takes at most 600 s`. Empty for none.
 */
export function describeDoubt(chainId: ChainId, doubt: ChainDoubt, rule = ''): string {
  switch (doubt.kind) {
    case 'notIndexed':
      return `Chain ${chainId} is not indexed here.`
    case 'otherProtocol':
      return `Chain ${chainId} is indexed here for ${doubt.indexed.join(', ')}, not for ${doubt.missing.join(' or ')}.`
    case 'late':
      return `Chain ${chainId} is indexed for ${doubt.protocol} from block ${doubt.startBlock} on; its contract has records from block ${doubt.publishedBlock} on.`
    case 'rewound':
      return `The contracts of chain ${chainId} have changed: it is to be read again from block ${doubt.fromBlock} on.`
    case 'unread':
      return `The index of chain ${chainId} has not reached block ${doubt.startBlock}, where its records of ${doubt.protocol} begin.`
    case 'empty':
      return `Nothing of chain ${chainId} is indexed yet.`
    case 'old':
      return `The index of chain ${chainId} is ${doubt.seconds} s old${rule}.`
    case 'before':
      return `The index of chain ${chainId} has not reached the time ${doubt.at} yet.`
    case 'defective': {
      const { fromBlock, toBlock } = doubt.defect
      const where =
        fromBlock === null
          ? ''
          : toBlock === null || toBlock === fromBlock
            ? ` in block ${fromBlock}`
            : ` in blocks ${fromBlock} to ${toBlock}`
      return `Records of chain ${chainId} are known to be missing or wrong${where}.`
    }
  }
}
