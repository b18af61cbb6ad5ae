import { lagOf, type ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainOverview, ProtocolTotals } from '@attestry/core/index/storedRecords.ts'
import { describeDeployments } from '../../../pipeline/describeDeployments.ts'
import { activityBehaviour } from './activityBehaviours.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'

/** A chain in a query, with the members of its status beside its own. */
type ChainNode = ChainOverview & Omit<ChainStatus, 'history'>

export function chainNode(chain: ChainOverview): ChainNode {
  return { ...chain.status, ...chain }
}

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
    deployments: (chain, _values, { nameDeployment }) => describeDeployments(chain, nameDeployment),
    lagBlocks: ({ status }) => lagOf(status).blocks,
    lagSeconds: ({ status }) => lagOf(status).seconds,
    updatedAt: ({ status }) => status.updatedAt?.toString() ?? null,
  },
} satisfies {
  readonly Stats: TypeBehaviour<readonly ProtocolTotals[]>
  readonly ProtocolTotals: TypeBehaviour<ProtocolTotals>
  readonly Chain: TypeBehaviour<ChainNode>
}

function total(of: (totals: ProtocolTotals) => number): FieldBehaviour<readonly ProtocolTotals[]> {
  return (all) => all.reduce((sum, totals) => sum + of(totals), 0)
}
