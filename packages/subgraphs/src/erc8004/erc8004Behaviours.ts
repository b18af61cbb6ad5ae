import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type {
  StoredAgent,
  StoredAgentMetadata,
  StoredAgentNote,
} from '@attestry/agents/projection/agentQueries.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import type { Resolve, TypeBehaviour } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { allOf, isOneOf } from '../engine/condition.ts'
import { fieldBehaviours, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { checkReached, metaOf, type BlockHeight } from '../engine/graphNode/chainState.ts'
import { findRow, readList, rootsOf } from '../engine/graphNode/lists.ts'
import { listRows } from '../engine/listRows.ts'
import { openWhole } from '../engine/rowSource.ts'
import { agentEntity } from './agents.ts'
import { shortId } from './agentIds.ts'
import { erc8004Dialect } from './dialect.ts'
import { responsesMax, type Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity } from './feedback.ts'
import type { FeedbackNode } from './feedbackRows.ts'
import { feedbackFileEntity, registrationFileEntity } from './files.ts'
import { metadataEntity } from './metadata.ts'
import { hasFile } from './registrationFile.ts'
import { feedbackOfNote, responseEntity } from './responses.ts'
import { protocolEntity, readAgentStats, readTotals } from './statistics.ts'
import { validationEntity, type ValidationNode } from './validations.ts'

type Field<Source> = Resolve<Source, Erc8004Context>

export const erc8004Behaviours: Readonly<Record<string, TypeBehaviour<never, Erc8004Context>>> = {
  Query: ofNewestState({
    ...roots(agentEntity),
    ...roots(registrationFileEntity),
    ...roots(feedbackEntity),
    ...roots(feedbackFileEntity),
    ...roots(responseEntity),
    ...roots(validationEntity),
    ...roots(metadataEntity),
    ...roots(protocolEntity),
    agentStats: async (_root, { id }, context) => {
      const agent = await findRow(agentEntity, context, String(id))
      return agent === null ? null : await readAgentStats(context, agent)
    },
    globalStats: async (_root, { id }, context) =>
      id === 'global' ? { ...(await readTotals(context)), id: 'global', totalProtocols: '1' } : null,
    _meta: async (_root, _values, { protocol, overview }) => metaOf(protocol.name, await overview()),
  }),
  Agent: {
    ...fieldBehaviours(agentEntity.fields),
    registrationFile: (agent: StoredAgent) => (hasFile(agent) ? agent : null),
    feedback: ofAgent(feedbackEntity),
    validations: ofAgent(validationEntity),
    metadata: ofAgent(metadataEntity),
  },
  AgentRegistrationFile: {
    ...fieldBehaviours(registrationFileEntity.fields),
    agentWallet: () => null,
    agentWalletChainId: () => null,
  },
  Feedback: {
    ...fieldBehaviours(feedbackEntity.fields),
    agent: ({ subject }: FeedbackNode, _values, { agents }) => agents.load(subject),
    feedbackFile: async (node: FeedbackNode, _values, { feedbackFiles }) =>
      (await feedbackFiles([node]))[0] ?? null,
    responses: responsesOf,
  },
  FeedbackFile: fieldBehaviours(feedbackFileEntity.fields),
  FeedbackResponse: {
    ...fieldBehaviours(responseEntity.fields),
    feedback: (note: StoredAgentNote, _values, context) =>
      findRow(feedbackEntity, context, feedbackOfNote(note)),
  },
  Validation: {
    ...fieldBehaviours(validationEntity.fields),
    agent: ({ subject }: ValidationNode, _values, { agents }) => agents.load(subject),
  },
  AgentMetadata: {
    ...fieldBehaviours(metadataEntity.fields),
    agent: ({ key }: StoredAgentMetadata, _values, { agents }) => agents.load(key.subject),
  },
  Protocol: { ...fieldBehaviours(protocolEntity.fields), agents: listAllAgents },
  GlobalStats: { agents: listAllAgents },
}

function roots<Row extends object>(
  entity: GraphNodeEntity<Row, Erc8004Context>,
): Record<string, Field<unknown>> {
  return rootsOf(erc8004Dialect, entity)
}

/** The agents of the chain. */
function listAllAgents(_source: unknown, values: ArgumentValues, context: Erc8004Context) {
  return listRows(agentEntity, context, readList(erc8004Dialect, agentEntity, values))
}

/** The list of an agent: those of the arguments that are of the agent. */
function ofAgent<Row extends object>(entity: GraphNodeEntity<Row, Erc8004Context>): Field<StoredAgent> {
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
 * The roots of queries, which only answer from the newest state: a `block` by its number or hash is refused, and
 * `number_gte` holds where the state has the block.
 */
function ofNewestState(roots: Roots): Roots {
  return Object.fromEntries(
    Object.entries(roots).map(([name, resolve]): [string, Roots[string]] => [
      name,
      async (source, values, context, info) => {
        await checkBlock(values, context)
        return await resolve(source, values, context, info)
      },
    ]),
  )
}

type Roots = Readonly<Record<string, Field<unknown>>>

async function checkBlock(values: ArgumentValues, context: Erc8004Context): Promise<void> {
  const { hash, number, number_gte: least } = (values['block'] ?? {}) as BlockHeight
  if (hash != null || number != null) {
    throw new BadParameterError(
      'This interface answers from the newest block alone; leave block.number and block.hash out, or ask ' +
        '/scan/agents/{id}?asOf=<chainId>:<block> for an earlier state of an agent.',
    )
  }
  if (least != null) await checkReached(context, least)
}
