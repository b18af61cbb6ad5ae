import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type {
  StoredAgent,
  StoredAgentMetadata,
  StoredAgentNote,
} from '@attestry/agents/projection/agentQueries.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import type { Resolve } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { allOf, isOneOf } from '../engine/condition.ts'
import type { GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { checkReached, metaOf, type BlockHeight } from '../engine/graphNode/chainState.ts'
import { dialectBehaviours, findRow, readList } from '../engine/graphNode/lists.ts'
import { listRows } from '../engine/listRows.ts'
import { openWhole } from '../engine/rowSource.ts'
import { agentEntity } from './agents.ts'
import { shortId } from './agentIds.ts'
import { erc8004Dialect } from './dialect.ts'
import { responsesMax, type Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity } from './feedback.ts'
import type { FeedbackNode } from './feedbackRows.ts'
import { metadataEntity } from './metadata.ts'
import { hasFile } from './registrationFile.ts'
import { feedbackOfNote, responseEntity } from './responses.ts'
import { readAgentStats, readTotals } from './statistics.ts'
import { validationEntity, type ValidationNode } from './validations.ts'

export const erc8004Behaviours = dialectBehaviours(erc8004Dialect, atNewest, {
  Query: {
    agentStats: (_root, { id, block }, context) =>
      atNewest(context, block, async () => {
        const agent = await findRow(agentEntity, context, String(id))
        return agent === null ? null : await readAgentStats(context, agent)
      }),
    globalStats: (_root, { id, block }, context) =>
      atNewest(context, block, async () =>
        id === 'global' ? { ...(await readTotals(context)), id: 'global', totalProtocols: '1' } : null,
      ),
    _meta: (_root, { block }, context) =>
      atNewest(context, block, async () => metaOf(context.protocol.name, await context.overview())),
  },
  Agent: {
    registrationFile: (agent: StoredAgent) => (hasFile(agent) ? agent : null),
    feedback: ofAgent(feedbackEntity),
    validations: ofAgent(validationEntity),
    metadata: ofAgent(metadataEntity),
  },
  AgentRegistrationFile: {
    agentWallet: () => null,
    agentWalletChainId: () => null,
  },
  Feedback: {
    agent: ({ subject }: FeedbackNode, _values, { agents }) => agents.load(subject),
    feedbackFile: async (node: FeedbackNode, _values, { feedbackFiles }) =>
      (await feedbackFiles([node]))[0] ?? null,
    responses: responsesOf,
  },
  FeedbackResponse: {
    feedback: (note: StoredAgentNote, _values, context) =>
      findRow(feedbackEntity, context, feedbackOfNote(note)),
  },
  Validation: {
    agent: ({ subject }: ValidationNode, _values, { agents }) => agents.load(subject),
  },
  AgentMetadata: {
    agent: ({ key }: StoredAgentMetadata, _values, { agents }) => agents.load(key.subject),
  },
  Protocol: { agents: listAllAgents },
  GlobalStats: { agents: listAllAgents },
})

/** The agents of the chain. */
function listAllAgents(_source: unknown, values: ArgumentValues, context: Erc8004Context) {
  return listRows(agentEntity, context, readList(erc8004Dialect, agentEntity, values))
}

/** The list of an agent: those of the arguments that are of the agent. */
function ofAgent<Row extends object>(
  entity: GraphNodeEntity<Row, Erc8004Context>,
): Resolve<StoredAgent, Erc8004Context> {
  return ({ key }, values, context) => {
    const list = readList(erc8004Dialect, entity, values)
    const condition = allOf(isOneOf('agent', [shortId(key)]), list.condition)
    return listRows(entity, context, { ...list, condition })
  }
}

/** The responses to feedback, which are read with those to other feedback of the answer while they are few. */
async function responsesOf(
  { stored }: FeedbackNode,
  values: ArgumentValues,
  context: Erc8004Context,
): Promise<readonly StoredAgentNote[]> {
  const list = readList(erc8004Dialect, responseEntity, values)
  const found = await context.responses.load(stored.key.localId)
  const [first] = found
  if (first === undefined || found.length < responsesMax) {
    const read = { ...responseEntity, open: () => Promise.resolve(openWhole(found)) }
    return await listRows(read, context, list)
  }
  const condition = allOf(isOneOf('feedback', [feedbackOfNote(first)]), list.condition)
  return await listRows(responseEntity, context, { ...list, condition })
}

/**
 * Does the work of a root from the newest state: a `block` by its number or hash is refused, and for `number_gte` the
 * state must have the block.
 */
async function atNewest<Result>(
  context: Erc8004Context,
  block: unknown,
  work: (context: Erc8004Context) => Promise<Result>,
): Promise<Result> {
  const { hash, number, number_gte: least } = (block ?? {}) as BlockHeight
  if (hash != null || number != null) {
    throw new BadParameterError(
      'This interface answers from the newest block alone; leave block.number and block.hash out, or ask ' +
        '/scan/agents/{id}?asOf=<chainId>:<block> for an earlier state of an agent.',
    )
  }
  if (least != null) await checkReached(context, least)
  return await work(context)
}
