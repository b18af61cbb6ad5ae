import type { StoredAgent, StoredAgentMetadata, StoredAgentNote } from '@attestry/core/index/agentQueries.ts'
import type { Resolve, TypeBehaviour } from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import { allOf, isOneOf } from '../engine/condition.ts'
import { fieldBehaviours, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { findRow, readList } from '../engine/graphNode/lists.ts'
import { listRows } from '../engine/listRows.ts'
import { openWhole } from '../engine/rowSource.ts'
import { agentEntity } from './agents.ts'
import { shortId } from './agentIds.ts'
import { erc8004Dialect, rootOf } from './dialect.ts'
import { responsesMax, type Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity } from './feedback.ts'
import type { FeedbackNode } from './feedbackRows.ts'
import { feedbackFileEntity, registrationFileEntity } from './files.ts'
import { metadataEntity } from './metadata.ts'
import { ofNewestState } from './newestState.ts'
import { hasFile } from './registrationFile.ts'
import { feedbackOfNote, responseEntity } from './responses.ts'
import { protocolEntity, readAgentStats, readMeta, readTotals } from './statistics.ts'
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
    _meta: (_root, _values, context) => readMeta(context),
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
    responses: (node: FeedbackNode, values, context, info) => responsesOf(node, values, context, info),
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
  Protocol: { ...fieldBehaviours(protocolEntity.fields), agents: listOf(agentEntity) },
  GlobalStats: { agents: listOf(agentEntity) },
}

/** The roots of an entity: one row by its id, and a list. */
function roots<Row extends object>(
  entity: GraphNodeEntity<Row, Erc8004Context>,
): Record<string, Field<unknown>> {
  const name = rootOf(entity.name)
  return {
    [name]: (_root, { id }, context) => findRow(entity, context, String(id)),
    [`${name}s`]: listOf(entity),
  }
}

function listOf<Row extends object>(entity: GraphNodeEntity<Row, Erc8004Context>): Field<unknown> {
  return (_source, values, context) => listRows(entity, context, readList(erc8004Dialect, entity, values))
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
const responsesOf: Field<FeedbackNode> = async ({ stored }, values, context) => {
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
