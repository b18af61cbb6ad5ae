import type { FastifyInstance } from 'fastify'
import { secondsBehind, weakestCompleteness } from '@attestry/core/model/chainState.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { aboutChains } from '../../pipeline/asOf/openView.ts'
import { describeDeployments } from '../../pipeline/describeDeployments.ts'
import { chainList } from './activitySchemas.ts'

/** The chains and their freshness. The answer depends on the clock, and is made anew for each request. */
export function addChainEndpoint(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/chains',
    summary: 'The indexed chains, and the distance of each from its head',
    description:
      'Each row has the contracts of a chain, its head, its newest indexed block, and how complete its history is. The answer depends on the clock and is not cached.',
    parameters: {},
    tool: {
      name: 'list_chains',
      description:
        'The indexed chains: how far each is indexed, how old that is, and how many records it has.',
    },
    data: chainList,
    // The rows say themselves how far behind each chain is.
    about: () => aboutChains([]),
    answer: async (reader) => {
      const now = context.now()
      const rows = (await reader.listChains()).map((chain) => presentChain(context, chain, now))
      return { data: { rows }, followsClock: true }
    },
  })
}

function presentChain({ nameDeployment }: ApiContext, chain: ChainOverview, now: UnixMilliseconds) {
  const {
    status,
    defect,
    verification,
    schemaCount,
    attestationCount,
    revocationCount,
    fieldsPending,
    anchorCounts,
    digest,
  } = chain
  return {
    chainId: String(status.chainId),
    name: status.name,
    explorer: status.explorer,
    protocols: status.protocols,
    deployments: describeDeployments(chain, nameDeployment),
    phase: status.phase,
    headBlock: status.headBlock,
    headTimestamp: status.headTimestamp,
    headSource: status.headSource,
    indexedBlock: status.indexedBlock,
    indexedTimestamp: status.indexedTimestamp,
    fromChunks: status.fromChunks,
    secondsBehind: secondsBehind(status, now),
    secondsSinceReport:
      status.updatedAt === null ? null : Math.max(0, Math.floor((now - status.updatedAt) / 1000)),
    lastError: status.lastError,
    defect: defect?.text ?? null,
    finality: status.finality ?? null,
    verification,
    completeness: weakestCompleteness(chain.history),
    history: chain.history.map(({ address, ...statement }) => ({
      ...statement,
      address: checksumAddress(address),
    })),
    schemaCount,
    attestationCount,
    revocationCount,
    fieldsPending,
    offchainAnchors: Object.entries(anchorCounts).map(([event, count]) => ({ event, count })),
    digest,
  }
}
