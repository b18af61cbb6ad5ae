import DataLoader from 'dataloader'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { erc8004Interface } from '@attestry/core/protocols/erc8004/erc8004Interface.ts'
import type { StoredAgent, StoredAgentNote } from '@attestry/agents/projection/agentQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { readWithin } from '@attestry/server/pipeline/effort/readWithin.ts'
import { findOverview } from '../engine/graphNode/chainState.ts'
import { createBudget, type Budget, type ReadLimits, type RequestEffort } from '../engine/budget.ts'
import type { ProtocolChain } from '../engine/serveDialect.ts'
import { createLoader, loadAll, type ReadingById } from '../engine/readByIds.ts'
import { readFeedbackFiles, type FeedbackFileNode } from './feedbackFiles.ts'
import type { FeedbackNode } from './feedbackRows.ts'

type Erc8004Services = Pick<ApiContext, 'reader' | 'decodePayload' | 'content'> & {
  readonly protocol: typeof erc8004Interface
  readonly limits: ReadLimits
}

/** The state that the resolvers of one request share. */
export interface Erc8004Context extends Erc8004Services, Pick<ReadingById, 'newest'> {
  readonly chain: ProtocolChain
  readonly budget: Budget
  readonly agents: Pick<DataLoader<LocalId, StoredAgent | null>, 'load' | 'loadMany'>
  /** The newest responses to feedback; at most `responsesMax` of each. */
  readonly responses: Pick<DataLoader<LocalId, readonly StoredAgentNote[]>, 'load'>
  /** The files of feedback, in its order, as `readFeedbackFiles`. */
  readonly feedbackFiles: (nodes: readonly FeedbackNode[]) => Promise<readonly (FeedbackFileNode | null)[]>
  readonly overview: () => Promise<ChainOverview>
  readonly usedClock: () => boolean
}

const advice =
  'order by createdAt, narrow where by id, owner, agent, clientAddress or createdAt, or ask for less with first and skip'

export function createErc8004Context(
  given: Erc8004Services,
  chain: ProtocolChain,
  effort: RequestEffort,
): Erc8004Context {
  const reader = readWithin(given.reader, effort)
  const { chainId } = chain
  let overview: Promise<ChainOverview> | null = null
  const budget = createBudget(given.limits, advice, effort)
  // One batch after another: the files of a few are in memory at once.
  let turn: Promise<unknown> = Promise.resolve()
  const files = new DataLoader<FeedbackNode, FeedbackFileNode | null, string>(
    (nodes) => {
      const read = turn.then(() => readFeedbackFiles(given.content, budget, nodes))
      turn = read.catch(() => undefined)
      return read
    },
    { maxBatchSize: filesMax, cacheKeyFn: ({ stored }) => stored.key.localId },
  )
  return {
    ...given,
    reader,
    newest: reader,
    chain,
    budget,
    agents: createLoader((subjects: readonly LocalId[]) =>
      reader.findAgents(subjects.map((subject) => ({ chainId, subject }))),
    ),
    responses: createLoader((targets: readonly LocalId[]) => readResponses(reader, chainId, targets)),
    feedbackFiles: (nodes) => loadAll(files, nodes),
    overview: () => (overview ??= readOverview(reader, chain)),
    // Content comes and goes by the clock, not with the versions of the index.
    usedClock: () => given.content !== null,
  }
}

/** Files of feedback that are read at once. */
const filesMax = 64

/** Most responses to feedback that are read with its page. */
export const responsesMax = 1_000

async function readResponses(
  reader: IndexReader,
  chainId: ChainId,
  targets: readonly LocalId[],
): Promise<readonly (readonly StoredAgentNote[])[]> {
  const kind = 'feedbackResponse'
  const counts = await reader.countAgentNotes(kind, chainId, targets)
  return await Promise.all(
    targets.map(async (target, index) => {
      if ((counts[index] ?? 0) === 0) return []
      const filter = { kind, chainId, agent: null, targets: [target] } as const
      return (await reader.listAgentNotes(filter, { page: 1, size: responsesMax })).rows
    }),
  )
}

async function readOverview(reader: IndexReader, chain: ProtocolChain): Promise<ChainOverview> {
  const found = await findOverview({ reader, chain })
  if (found === undefined) throw new TypeError(`chain ${chain.chainId} is indexed`)
  return found
}
