import { secondsBehind, type Defect } from './chainState.ts'
import type { ChainId } from './compositeId.ts'
import type { UnixMilliseconds } from './time.ts'

/** The age up to which the index of a chain counts as fresh unless a request or a policy says otherwise, in seconds. */
export const maxStalenessDefault = 600

/** The parts of a chain that decide whether its index can be relied on. */
export interface JudgedChain {
  readonly status: Parameters<typeof secondsBehind>[0]
  readonly defect: Defect | null
}

/**
 * Why an answer about a chain may lack records or revocations.
 * - `notIndexed`: the index does not have the chain.
 * - `empty`: no block of the chain is indexed yet.
 * - `old`: the index is older than the answer may be.
 * - `before`: the index has not reached the moment of the question.
 * - `defective`: records are known to be missing or wrong.
 */
export type ChainDoubt =
  | { readonly kind: 'notIndexed' | 'empty' }
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
  { now, maxStaleness, moment }: NeededFreshness,
): ChainDoubt | null {
  if (chain === undefined) return { kind: 'notIndexed' }
  const { status, defect } = chain
  const lastBlock = moment?.kind === 'block' ? moment.number : null
  // A defect concerns the answers from its first block on.
  const isConcerned = lastBlock === null || (defect?.fromBlock ?? 0) <= lastBlock
  if (defect !== null && isConcerned) return { kind: 'defective', defect }
  if (moment?.kind === 'block') return null
  const age = secondsBehind(status, now)
  if (moment === null) {
    if (age === null) return { kind: 'empty' }
    return age <= maxStaleness ? null : { kind: 'old', seconds: age }
  }
  // An idle chain makes no blocks: at its head, the index knows the chain up to the last look.
  const reached = Math.max(status.indexedTimestamp ?? -1, age === null ? -1 : Math.floor(now / 1000) - age)
  return reached >= moment.at ? null : { kind: 'before', at: moment.at }
}

/**
 * A doubt in one sentence.
 * @param rule the clause that follows the age of an index: `; the policy takes at most 600 s`. Empty for none.
 */
export function describeDoubt(chainId: ChainId, doubt: ChainDoubt, rule = ''): string {
  switch (doubt.kind) {
    case 'notIndexed':
      return `Chain ${chainId} is not indexed here.`
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
