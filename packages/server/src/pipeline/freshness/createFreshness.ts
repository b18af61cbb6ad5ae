import {
  describeDoubt,
  findDoubt,
  maxStalenessDefault,
  type ChainDoubt,
  type NeededFreshness,
  type NeededMoment,
  type NeededRecord,
} from '@attestry/core/model/chainDoubt.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { HasDeployment } from '@attestry/core/model/indexedContract.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import type { Question } from '../asOf/openView.ts'
import type { AskedMoment } from '../asOf/parseAsOf.ts'

/** A chain whose index cannot be relied on for an answer. */
export interface BehindChain {
  readonly chainId: ChainId
  /** The last block up to which nothing is known to be missing; null for none. */
  readonly indexedBlock: number | null
  /** The newest block that an endpoint reported; null for none. */
  readonly headBlock: number | null
  /** Why, in one sentence. */
  readonly reason: string
}

/** The freshness of each chain, in one state of the index. */
export interface IndexFreshness {
  /**
   * The chains of a question that are behind, by number, judged by `maxStalenessDefault`. An answer as of a past moment
   * that the index has reached is behind only where records are known to be missing.
   * @param question null: about everything, now.
   */
  behind(question: Question | null): readonly BehindChain[]
  /** Why the index of a chain is not fresh enough; null where it is. */
  doubtOf(chainId: ChainId, needed: Omit<NeededFreshness, 'now' | 'hasDeployment'>): ChainDoubt | null
}

export interface Freshness {
  /**
   * The freshness of the chains, read at that version of the index or a newer one. To be read before the records of an
   * answer: the answer then lacks no more than what is said.
   */
  at(version: number): IndexFreshness | Promise<IndexFreshness>
}

export interface FreshnessParts {
  readonly reader: Pick<PastReader, 'listChains'>
  readonly now: () => UnixMilliseconds
  /** The configured chains, which the index may not have yet. */
  readonly chainIds: readonly ChainId[]
  readonly hasDeployment: HasDeployment
}

/** Milliseconds for which the state of the chains is kept while the index does not change. */
const keptMs = 250

interface Kept {
  readonly version: number
  readonly readAtMs: number
  state: IndexFreshness | Promise<IndexFreshness>
}

/** The one judgement about which chains of an answer are behind, for all interfaces of a server. */
export function createFreshness(parts: FreshnessParts): Freshness {
  let kept: Kept | null = null
  return {
    at(version) {
      if (kept?.version === version && performance.now() - kept.readAtMs < keptMs) return kept.state
      const reading = parts.reader.listChains().then((chains) => judge(chains, parts))
      const entry: Kept = { version, readAtMs: performance.now(), state: reading }
      kept = entry
      reading.then(
        (state) => {
          entry.state = state
        },
        () => {
          if (kept === entry) kept = null
        },
      )
      return reading
    },
  }
}

function judge(
  chains: readonly ChainOverview[],
  { now, chainIds: configured, hasDeployment }: FreshnessParts,
): IndexFreshness {
  const known = new Map(chains.map((chain): [ChainId, ChainOverview] => [chain.status.chainId, chain]))
  const all = [...new Set([...known.keys(), ...configured])].sort((a, b) => a - b)
  const doubtOf: IndexFreshness['doubtOf'] = (chainId, needed) =>
    findDoubt(known.get(chainId), { ...needed, now: now(), hasDeployment })
  return {
    doubtOf,
    behind: (question) => {
      const moment = momentOf(question?.asOf ?? null)
      const asked = chainsOf(question) ?? all
      const behind: BehindChain[] = []
      for (const chainId of asked) {
        const [doubt] = recordsOn(chainId, question)
          .map((record) => doubtOf(chainId, { maxStaleness: maxStalenessDefault, moment, record }))
          .filter((found) => found !== null)
        if (doubt !== undefined) behind.push(describeBehind(chainId, doubt, known.get(chainId)))
      }
      return behind
    },
  }
}

/**
 * The records that a question names on a chain; null for none. Whether the index has them is not looked up for each
 * answer: one of the protocols that may have an id is enough.
 */
function recordsOn(chainId: ChainId, question: Question | null): readonly (NeededRecord | null)[] {
  const named = question?.records?.filter((record) => record.chainId === chainId) ?? []
  return named.length === 0 ? [null] : named.map(({ protocols }) => ({ protocols, isIndexed: true }))
}

/** The need of a moment. The index has its block, or the answer is an error. */
export function momentOf(asOf: AskedMoment | null): NeededMoment | null {
  if (asOf === null || asOf.kind === 'time') return asOf
  return { kind: 'block', number: typeof asOf.block === 'number' ? asOf.block : null }
}

function chainsOf(question: Question | null): readonly ChainId[] | null {
  if (question === null) return null
  const { asOf, chainIds } = question
  return asOf?.kind === 'block' ? [asOf.chainId] : chainIds
}

function describeBehind(chainId: ChainId, doubt: ChainDoubt, chain: ChainOverview | undefined): BehindChain {
  const { indexedBlock = null, headBlock = null } = chain?.status ?? {}
  const place =
    doubt.kind === 'old' && indexedBlock !== null && headBlock !== null && indexedBlock < headBlock
      ? `, at block ${indexedBlock} of ${headBlock}`
      : ''
  return {
    chainId,
    indexedBlock: lastKnownBlock(doubt, indexedBlock),
    headBlock,
    reason: describeDoubt(chainId, doubt, place),
  }
}

function lastKnownBlock(doubt: ChainDoubt, indexedBlock: number | null): number | null {
  if (doubt.kind === 'otherProtocol') return null
  if (doubt.kind !== 'defective') return indexedBlock
  const { fromBlock } = doubt.defect
  if (fromBlock === null || fromBlock === 0 || indexedBlock === null) return null
  return Math.min(fromBlock - 1, indexedBlock)
}
