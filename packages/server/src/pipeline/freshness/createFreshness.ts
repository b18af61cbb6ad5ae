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
import type { FindPublished } from '@attestry/core/model/indexedContract.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { isFixed, judgeRecord, type RecordDoubt } from './findSchemaDoubt.ts'
import type { AskedRecord, Question } from '../asOf/openView.ts'
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
   * that the index has reached is behind only where records are known to be missing. Records that the question names
   * are looked up only if that decides.
   * @param question null: about everything, now.
   */
  behind(question: Question | null): readonly BehindChain[] | Promise<readonly BehindChain[]>
  /** Why the index of a chain is not fresh enough; null if it is. */
  doubtOf(chainId: ChainId, needed: Omit<NeededFreshness, 'now' | 'findPublished'>): ChainDoubt | null
}

export interface Freshness {
  /**
   * The freshness of the chains, read at that version of the index or a newer one. To be read before the records of an
   * answer: the answer then lacks no more than what is said.
   */
  at(version: number): IndexFreshness | Promise<IndexFreshness>
}

export interface FreshnessParts {
  readonly reader: Pick<IndexReader, 'listChains' | 'findPresent'>
  readonly now: () => UnixMilliseconds
  /** The configured chains, which the index may not have yet. */
  readonly chainIds: readonly ChainId[]
  readonly findPublished: FindPublished
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
  { reader, now, chainIds: configured, findPublished }: FreshnessParts,
): IndexFreshness {
  const known = new Map(chains.map((chain): [ChainId, ChainOverview] => [chain.status.chainId, chain]))
  const all = [...new Set([...known.keys(), ...configured])].sort((a, b) => a - b)
  const doubtOf: IndexFreshness['doubtOf'] = (chainId, needed) =>
    findDoubt(known.get(chainId), { ...needed, now: now(), findPublished })
  const describe = (chainIds: readonly ChainId[], doubts: readonly (ChainDoubt | null)[]) => {
    const behind = new Map<ChainId, BehindChain>()
    for (const [at, chainId] of chainIds.entries()) {
      const doubt = doubts[at] ?? null
      if (doubt === null || behind.has(chainId)) continue
      behind.set(chainId, describeBehind(chainId, doubt, known.get(chainId)))
    }
    return [...behind.values()]
  }
  return {
    doubtOf,
    behind: (question) => {
      const needed = { maxStaleness: maxStalenessDefault, moment: momentOf(question?.asOf ?? null) }
      const asked = (chainsOf(question) ?? all).flatMap((chainId) =>
        recordsOn(chainId, question).map((named) => ({ chainId, named })),
      )
      const judged = asked.map(({ chainId, named }): RecordDoubt => {
        const judgeOne = (record: NeededRecord | null) => doubtOf(chainId, { ...needed, record })
        if (named?.record !== undefined) return judgeRecord(named.protocols, judgeOne)
        const record = named === null ? null : { protocols: named.protocols, isIndexed: true }
        return { kind: 'settled', doubt: judgeOne(record) }
      })
      const chainIds = asked.map(({ chainId }) => chainId)
      const open = asked.flatMap(({ named }, at) =>
        judged[at]?.kind === 'open' && named?.record !== undefined ? [named.record] : [],
      )
      const settle = (present: readonly boolean[]) => {
        let next = 0
        return judged.map((each) => {
          if (each.kind === 'settled') return each.doubt
          const at = next++
          const key = open[at]?.key
          return present[at] === true && key !== undefined && !isFixed(key) ? each.known : each.unknown
        })
      }
      if (open.length === 0) return describe(chainIds, settle([]))
      return reader.findPresent(open).then((present) => describe(chainIds, settle(present)))
    },
  }
}

/** The records that a question names on a chain; null for none. */
function recordsOn(chainId: ChainId, question: Question | null): readonly (AskedRecord | null)[] {
  const named = question?.records?.filter((record) => record.chainId === chainId) ?? []
  return named.length === 0 ? [null] : named
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
  if (doubt.kind === 'otherProtocol' || doubt.kind === 'late') return null
  if (doubt.kind === 'rewound')
    return doubt.fromBlock === 0 || indexedBlock === null ? null : Math.min(doubt.fromBlock - 1, indexedBlock)
  if (doubt.kind !== 'defective') return indexedBlock
  const { fromBlock } = doubt.defect
  if (fromBlock === null || fromBlock === 0 || indexedBlock === null) return null
  return Math.min(fromBlock - 1, indexedBlock)
}
