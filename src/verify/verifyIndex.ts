import type { ChainId } from '../model/compositeId.ts'
import type { IndexAudit } from '../store/indexAudit.ts'
import type { AskedChain } from './chainComparison.ts'
import { compareChain, type ComparisonScope } from './compareChain.ts'
import { createSeededRandom } from '../model/createSeededRandom.ts'
import type { BlockSpan, Finding } from './findings.ts'

export interface VerifyOptions {
  /** How many records of each chain are compared, with the blocks around them; `all`: every block. */
  readonly sample: number | 'all'
  /** What the sample is drawn with: the same index and seed give the same one. */
  readonly seed: number
  /** Whether the chains are left alone: only the store is held against itself. */
  readonly offline: boolean
  /**
   * Whether a chain whose counters contradict its records is compared whole: one of the two is wrong, and what derives from the
   * records must not be made anew before it is known which.
   */
  readonly thorough: boolean
  /** The chains to verify; null: every one. What the store says of all chains at once is told whatever this is. */
  readonly chainIds: ReadonlySet<ChainId> | null
  /** Blocks that are compared whatever the sample. */
  readonly also: ReadonlyMap<ChainId, readonly BlockSpan[]>
}

/** Who can be asked about a chain; null where no endpoint is known. */
export type AskChain = (chainId: ChainId) => AskedChain | null

/** Verifies an index as it was when the audit was opened: against itself, then each chain against its contracts. */
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
