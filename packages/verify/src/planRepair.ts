import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { mergeSpans } from './chooseSpans.ts'
import type { BlockSpan, Finding } from './findings.ts'

/** The repair of the findings of a verification. */
export interface RepairPlan {
  /** The block to which each of these chains is rewound. */
  readonly rewinds: ReadonlyMap<ChainId, number>
  /** Blocks that are read again. */
  readonly reindex: ReadonlyMap<ChainId, readonly BlockSpan[]>
  /** Whether the derived tables are rebuilt. */
  readonly rebuild: boolean
  /** Chains whose counters contradict their records, while it is unknown which are right. */
  readonly undecided: readonly ChainId[]
}

/** Gathers findings into a plan. Memory grows only with the number of affected blocks. */
export interface RepairPlanner {
  add(finding: Finding): void
  plan(): RepairPlan
}

export function createRepairPlanner(): RepairPlanner {
  const rewinds = new Map<ChainId, number>()
  const blocks = new Map<ChainId, Set<number>>()
  const doubtful = new Set<ChainId>()
  const compared = new Set<ChainId>()
  let rebuild = false

  function addDifference({ remedy, chainId, blockNumber }: Difference): void {
    if (remedy === 'none') return
    rebuild ||= remedy !== 'rewind'
    if (chainId === null) return
    if (remedy === 'recount') doubtful.add(chainId)
    if (blockNumber === null) return
    if (remedy === 'rewind') rewinds.set(chainId, Math.min(rewinds.get(chainId) ?? blockNumber, blockNumber))
    if (remedy === 'reindex') {
      const known = blocks.get(chainId) ?? new Set()
      blocks.set(chainId, known.add(blockNumber))
    }
  }

  return {
    add: (finding) => {
      if (finding.kind === 'difference') addDifference(finding.difference)
      if (finding.kind === 'compared' && finding.isComplete) compared.add(finding.chainId)
    },
    plan: () => ({
      rewinds,
      reindex: new Map(
        [...blocks].map(([chainId, numbers]) => [
          chainId,
          mergeSpans([...numbers].map((block) => ({ fromBlock: block, toBlock: block }))),
        ]),
      ),
      rebuild,
      undecided: [...doubtful].filter((chainId) => !compared.has(chainId)),
    }),
  }
}
