import type { FastifyInstance } from 'fastify'
import type { ChainStatus } from '../../model/chainState.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type { ChainOverview } from '../../store/indexReader.ts'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import { chainList } from './activitySchemas.ts'
import { presentRows } from './presentList.ts'

/** The chains and how fresh each is. The answer changes with the clock, and is made anew for each who asks. */
export function addChainEndpoint(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/chains',
    summary: 'The chains that are indexed, and how far behind each is',
    parameters: {},
    data: chainList,
    answer: async (reader) => {
      const now = context.now()
      const dataJson = presentRows(await reader.listChains(), (chain) => presentChain(chain, now))
      return { dataJson, link: null, followsClock: true }
    },
  })
}

function presentChain(chain: ChainOverview, now: UnixMilliseconds): string {
  const { status, schemaCount, attestationCount, revocationCount, anchorCounts } = chain
  const {
    name,
    explorer,
    protocols,
    phase,
    headBlock,
    headTimestamp,
    indexedBlock,
    indexedTimestamp,
    lastError,
  } = status
  return JSON.stringify({
    chainId: String(status.chainId),
    name,
    explorer,
    protocols,
    phase,
    headBlock,
    headTimestamp,
    indexedBlock,
    indexedTimestamp,
    secondsBehind: secondsBehind(status, now),
    lastError,
    schemaCount,
    attestationCount,
    revocationCount,
    offchainAnchors: Object.entries(anchorCounts).map(([event, count]) => ({ event, count })),
  })
}

/**
 * For how long the chain may have gone on without the index. A chain at rest makes no blocks, so that at its head the age of
 * the status counts, which its indexer renews with every look; behind it, the age of the indexed block.
 */
export function secondsBehind(status: ChainStatus, now: UnixMilliseconds): number | null {
  const { phase, headBlock, indexedBlock, indexedTimestamp, updatedAt } = status
  const isAtHead =
    phase === 'following' && indexedBlock !== null && headBlock !== null && indexedBlock >= headBlock
  if (isAtHead) return Math.max(0, Math.floor((now - updatedAt) / 1000))
  return indexedTimestamp === null ? null : Math.max(0, Math.floor(now / 1000) - indexedTimestamp)
}
