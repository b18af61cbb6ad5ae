import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { AskedChain } from './chainComparison.ts'
import { compareChain, type ComparisonScope } from './compareChain.ts'
import { createSeededRandom } from '@attestry/core/model/createSeededRandom.ts'
import type { BlockSpan, Finding } from './findings.ts'

export interface VerifyOptions {
  /** The number of records of each chain to compare, with the blocks around them; `all`: every block. */
  readonly sample: number | 'all'
  /** The seed of the sample: the same index and seed give the same sample. */
  readonly seed: number
  /** Whether only the store is checked, without the chains. */
  readonly offline: boolean
  /**
   * Whether a chain is compared whole if its counters contradict its records. One of the two is wrong, and derived
   * tables must not be rebuilt before it is known which.
   */
  readonly thorough: boolean
  /** The chains to verify; null: every chain. Checks of the store as a whole run in any case. */
  readonly chainIds: ReadonlySet<ChainId> | null
  /** Blocks that are compared in addition to the sample. */
  readonly also: ReadonlyMap<ChainId, readonly BlockSpan[]>
}

/** The client of a chain; null without an endpoint. */
export type AskChain = (chainId: ChainId) => AskedChain | null

/** Verifies the snapshot of an index: the store against itself, then each chain against its contracts. */
export async function* verifyIndex(
  audit: IndexAudit,
  askChain: AskChain,
  options: VerifyOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const doubtful = new Set<ChainId>()
  for await (const difference of audit.findContradictions()) {
    signal.throwIfAborted()
    if (difference.remedy === 'recount' && difference.chainId !== null) doubtful.add(difference.chainId)
    yield { kind: 'difference', difference }
  }
  const chains = await audit.listChains()
  for (const chainId of options.chainIds ?? []) {
    if (chains.some(({ identity }) => identity.chainId === chainId)) continue
    yield { kind: 'unasked', chainId, reason: 'it is not in the index' }
  }
  if (options.offline) return
  for (const chain of chains) {
    const { chainId } = chain.identity
    if (options.chainIds !== null && !options.chainIds.has(chainId)) continue
    const asked = askChain(chainId)
    if (asked === null) {
      yield { kind: 'unasked', chainId, reason: 'no endpoint of it is configured' }
      continue
    }
    const { sample } = options
    const scope: ComparisonScope =
      sample === 'all' || (options.thorough && doubtful.has(chainId))
        ? { kind: 'all' }
        : { kind: 'sample', records: sample, random: createSeededRandom(options.seed ^ chainId) }
    const also = options.also.get(chainId) ?? []
    yield* compareChain({ audit, chain, asked, scope, thorough: options.thorough, also, signal })
  }
}
