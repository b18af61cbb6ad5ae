import type { ChainOverview, ProtocolTotals } from '@attestry/core/index/storedRecords.ts'
import { describeDeployments } from '../../../pipeline/describeDeployments.ts'
import { activityBehaviour } from './activityBehaviours.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'

/** Fields with the totals of the index and the state of its chains. */
export const overviewBehaviours = {
  Stats: {
    schemaCount: total(({ schemaCount }) => schemaCount),
    attestationCount: total(({ attestationCount }) => attestationCount),
    revocationCount: total(({ revocationCount }) => revocationCount),
    protocols: (totals) => totals,
    activity: activityBehaviour(() => ({ kind: 'everything' })),
  },
  ProtocolTotals: {
    chainId: ({ chainId }) => String(chainId),
  },
  Chain: {
    chainId: ({ status }) => String(status.chainId),
    name: ({ status }) => status.name,
    explorer: ({ status }) => status.explorer,
    protocols: ({ status }) => status.protocols,
    deployments: (chain, _values, { nameDeployment }) => describeDeployments(chain, nameDeployment),
    phase: ({ status }) => status.phase,
    headBlock: ({ status }) => status.headBlock,
    headTimestamp: ({ status }) => status.headTimestamp,
    headSource: ({ status }) => status.headSource,
    indexedBlock: ({ status }) => status.indexedBlock,
    indexedTimestamp: ({ status }) => status.indexedTimestamp,
    fromChunks: ({ status }) => status.fromChunks ?? null,
    lagBlocks: (chain) => lagOf(chain).blocks,
    lagSeconds: (chain) => lagOf(chain).seconds,
    reachedHead: ({ status }) => status.reachedHead,
    eventsPerSecond: ({ status }) => status.eventsPerSecond,
    lastError: ({ status }) => status.lastError,
    updatedAt: ({ status }) => status.updatedAt?.toString() ?? null,
  },
} satisfies {
  readonly Stats: TypeBehaviour<readonly ProtocolTotals[]>
  readonly ProtocolTotals: TypeBehaviour<ProtocolTotals>
  readonly Chain: TypeBehaviour<ChainOverview>
}

function total(of: (totals: ProtocolTotals) => number): FieldBehaviour<readonly ProtocolTotals[]> {
  return (all) => all.reduce((sum, totals) => sum + of(totals), 0)
}

/**
 * The distance of the index from the head. The time of blocks beyond the index is unknown: at the head the distance is
 * 0.
 */
function lagOf({ status }: ChainOverview): {
  readonly blocks: number | null
  readonly seconds: number | null
} {
  const { headBlock, headTimestamp, indexedBlock, indexedTimestamp } = status
  const blocks = headBlock === null || indexedBlock === null ? null : Math.max(0, headBlock - indexedBlock)
  if (blocks === 0) return { blocks, seconds: 0 }
  const isTimed = headTimestamp !== null && indexedTimestamp !== null
  return { blocks, seconds: isTimed ? Math.max(0, headTimestamp - indexedTimestamp) : null }
}
