import { agentNumber } from '@attestry/core/model/agents.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { StoredAgent, StoredAgentMetadata, StoredAgentNote } from '@attestry/core/index/agentQueries.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import { readWholeUri } from '@attestry/agents/agentDirectory.ts'
import type { Resolve, TypeBehaviour } from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import { allOf, isOneOf } from '../engine/condition.ts'
import { agentValue, fileValue, hasFile } from './agentRows.ts'
import { findFile, listAgents, listFiles } from './agentLists.ts'
import { shortId, subjectOfId } from './agentIds.ts'
import { responsesMax, type Erc8004Context } from './erc8004Context.ts'
import {
  feedbackFileList,
  feedbackFileLists,
  feedbackFileText,
  feedbackFileTexts,
  feedbackFileValue,
  type FeedbackFileNode,
} from './feedbackFiles.ts'
import { findFeedback, listFeedback, listFeedbackFiles } from './feedbackLists.ts'
import { feedbackShortId, feedbackValue, scoreOf, valueText, type FeedbackNode } from './feedbackRows.ts'
import { selectRows, type ListArguments } from '../engine/graphNode/listArguments.ts'
import type { AgentEntity } from './models.ts'
import {
  feedbackOfNote,
  listMetadata,
  listResponses,
  listValidations,
  metadataId,
  metadataValue,
  responseId,
  responseValue,
  selectResponses,
  validationValue,
  type ValidationNode,
} from './otherLists.ts'
import { ofNewestState } from './newestState.ts'
import { nullValue, readList, readWhere } from './readWhere.ts'
import { protocolValue, readAgentStats, readMeta, readProtocol, readTotals } from './statistics.ts'

type Behaviours<Source> = TypeBehaviour<Source, Erc8004Context>
type Field<Source> = Resolve<Source, Erc8004Context>

/** The agents of the chain. */
const ofChain: Field<unknown> = (_source, values, context) => listAgents(context, readList('Agent', values))

export const erc8004Behaviours: Readonly<Record<string, TypeBehaviour<never, Erc8004Context>>> = {
  Query: ofNewestState({
    agent: (_root, { id }, context) => findAgent(context, String(id)),
    agents: (_root, values, context) => listAgents(context, readList('Agent', values)),
    agentRegistrationFile: (_root, { id }, context) => findFile(context, String(id)),
    agentRegistrationFiles: (_root, values, context) => {
      const list = readList('AgentRegistrationFile', values)
      const condition = readWhere('Agent', { registrationFile_: values['where'] ?? {} })
      return listFiles(context, { ...list, condition })
    },
    feedback: (_root, { id }, context) => findFeedback(context, String(id)),
    feedbacks: (_root, values, context) => listFeedback(context, readList('Feedback', values)),
    feedbackResponse: one('FeedbackResponse', listResponses),
    feedbackResponses: (_root, values, context) =>
      listResponses(context, readList('FeedbackResponse', values)),
    feedbackFile: async (_root, { id }, context) => {
      const where = { feedbackFile_: { id } }
      const list = readList('Feedback', { where, first: 1, orderBy: 'createdAt' })
      const [found = null] = await listFeedbackFiles(context, list)
      return found
    },
    feedbackFiles: (_root, values, context) => {
      const list = readList('FeedbackFile', values)
      const condition = readWhere('Feedback', { feedbackFile_: values['where'] ?? {} })
      return listFeedbackFiles(context, { ...list, condition })
    },
    validation: one('Validation', listValidations),
    validations: (_root, values, context) => listValidations(context, readList('Validation', values)),
    agentMetadata: one('AgentMetadata', listMetadata),
    agentMetadatas: (_root, values, context) => listMetadata(context, readList('AgentMetadata', values)),
    protocol: (_root, { id }, context) =>
      String(id) === String(context.chain.chainId) ? readProtocol(context) : null,
    protocols: async (_root, values, context) =>
      selectRows(context.budget, [await readProtocol(context)], protocolValue, readList('Protocol', values)),
    agentStats: async (_root, { id }, context) => {
      const agent = await findAgent(context, String(id))
      return agent === null ? null : await readAgentStats(context, agent)
    },
    globalStats: async (_root, { id }, context) =>
      id === 'global' ? { ...(await readTotals(context)), id: 'global', totalProtocols: '1' } : null,
    _meta: (_root, _values, context) => readMeta(context),
  }),
  Agent: agentBehaviours(),
  Protocol: { agents: ofChain },
  GlobalStats: { agents: ofChain },
  AgentRegistrationFile: fileBehaviours(),
  Feedback: feedbackBehaviours(),
  FeedbackFile: feedbackFileBehaviours(),
  FeedbackResponse: responseBehaviours(),
  Validation: validationBehaviours(),
  AgentMetadata: metadataBehaviours(),
}

/** The root of one record of a list that is read whole. */
function one<Row>(
  entity: AgentEntity,
  list: (context: Erc8004Context, list: ListArguments) => Promise<readonly Row[]>,
): Field<unknown> {
  return async (_root, { id }, context) => {
    const [found] = await list(context, readList(entity, { where: { id }, first: 1 }))
    return found ?? null
  }
}

async function findAgent(context: Erc8004Context, id: string): Promise<StoredAgent | null> {
  const subject = subjectOfId(context, id)
  return subject === null ? null : await context.agents.load(subject)
}

/** The fields of a type that are the values of its filters; what is empty is null. */
function valuesOf<Source>(
  names: readonly string[],
  valueOf: (source: Source, name: string) => string | number | boolean,
): Record<string, Field<Source>> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      (source: Source) => {
        const value = valueOf(source, name)
        return value === nullValue ? null : value
      },
    ]),
  )
}

/** Numbers that the subgraph prints as text. */
function digitsOf<Source>(
  names: readonly string[],
  valueOf: (source: Source, name: string) => string | number | boolean,
): Record<string, Field<Source>> {
  return valuesOf(names, (source: Source, name) => String(valueOf(source, name)))
}

/** The list of an agent: those of the arguments that are of the agent. */
function ofAgent<Row>(
  entity: AgentEntity,
  list: (context: Erc8004Context, list: ListArguments) => Promise<readonly Row[]>,
): Field<StoredAgent> {
  return ({ key }, values: ArgumentValues, context) => {
    const asked = readList(entity, values)
    const condition = allOf(isOneOf('agent', [shortId(key)]), asked.condition)
    return list(context, { ...asked, condition })
  }
}

function agentBehaviours(): Behaviours<StoredAgent> {
  return {
    id: ({ key }) => shortId(key),
    agentId: ({ key }) => agentNumber(key.subject),
    operators: () => [],
    owner: ({ owner }) => owner ?? zeroAddress,
    ...valuesOf(['agentURIType', 'agentWallet'], agentValue),
    agentURI: (agent, _values, { reader }) => readWholeUri(reader, agent),
    ...digitsOf(['chainId', 'createdAt', 'updatedAt', 'totalFeedback', 'lastActivity'], agentValue),
    registrationFile: (agent) => (hasFile(agent) ? agent : null),
    feedback: ofAgent('Feedback', listFeedback),
    validations: ofAgent('Validation', listValidations),
    metadata: ofAgent('AgentMetadata', listMetadata),
  }
}

function fileBehaviours(): Behaviours<StoredAgent> {
  const texts = ['name', 'description', 'image', 'active', 'x402Support', 'x402support', 'endpointsRawJson']
  const services = ['mcp', 'a2a', 'oasf'].flatMap((name) => [`${name}Endpoint`, `${name}Version`])
  const more = ['id', 'cid', 'agentId', 'webEndpoint', 'emailEndpoint', 'ens', 'did', 'hasOASF']
  return {
    ...valuesOf([...texts, ...services, ...more], fileValue),
    ...digitsOf(['createdAt'], fileValue),
    supportedTrusts: ({ profile }) => profile.trusts,
    oasfSkills: ({ profile }) => profile.skills,
    oasfDomains: ({ profile }) => profile.domains,
    ...Object.fromEntries(
      ['mcpTools', 'mcpPrompts', 'mcpResources', 'a2aSkills'].map((name) => [name, () => []]),
    ),
    agentWallet: () => null,
    agentWalletChainId: () => null,
  }
}

function feedbackBehaviours(): Behaviours<FeedbackNode> {
  const texts = ['tag1', 'tag2', 'endpoint', 'feedbackURI', 'feedbackUri'] as const
  return {
    id: feedbackShortId,
    agent: ({ subject }, _values, { agents }) => agents.load(subject),
    feedbackIndex: ({ said }) => said.feedbackIndex,
    value: valueText,
    score: scoreOf,
    // To the subgraph an empty text is a text.
    ...Object.fromEntries(texts.map((name) => [name, (node: FeedbackNode) => feedbackValue(node, name)])),
    ...valuesOf(['clientAddress', 'feedbackURIType', 'feedbackHash', 'isRevoked'], feedbackValue),
    ...digitsOf(['createdAt', 'revokedAt'], feedbackValue),
    feedbackFile: async (node, _values, { feedbackFiles }) => (await feedbackFiles([node]))[0] ?? null,
    responses: async ({ stored }, values, context) => {
      const asked = readList('FeedbackResponse', values)
      const found = await context.responses.load(stored.key.localId)
      const [first] = found
      if (first === undefined || found.length < responsesMax)
        return await selectResponses(context, found, asked)
      const condition = allOf(isOneOf('feedback', [feedbackOfNote(first)]), asked.condition)
      return await listResponses(context, { ...asked, condition })
    },
  }
}

function feedbackFileBehaviours(): Behaviours<FeedbackFileNode> {
  return {
    ...valuesOf(['id', 'cid', 'feedbackId', 'tag1', 'tag2'], feedbackFileValue),
    ...valuesOf(feedbackFileTexts, feedbackFileText),
    ...Object.fromEntries(
      feedbackFileLists.map((name) => [name, (node: FeedbackFileNode) => feedbackFileList(node, name)]),
    ),
    ...digitsOf(['createdAt'], feedbackFileValue),
  }
}

function responseBehaviours(): Behaviours<StoredAgentNote> {
  return {
    id: responseId,
    feedback: (note, _values, context) => findFeedback(context, feedbackOfNote(note)),
    responder: ({ account }) => account,
    responseUri: ({ uri }) => uri,
    responseHash: ({ hash }) => hash,
    ...digitsOf(['createdAt'], responseValue),
  }
}

function validationBehaviours(): Behaviours<ValidationNode> {
  const texts = [
    'id',
    'validatorAddress',
    'requestUri',
    'requestHash',
    'response',
    'responseUri',
    'responseHash',
  ]
  return {
    agent: ({ subject }, _values, { agents }) => agents.load(subject),
    ...valuesOf([...texts, 'tag', 'status'], validationValue),
    ...digitsOf(['createdAt', 'updatedAt'], validationValue),
  }
}

function metadataBehaviours(): Behaviours<StoredAgentMetadata> {
  return {
    id: metadataId,
    agent: ({ key }, _values, { agents }) => agents.load(key.subject),
    key: ({ name }) => name,
    value: ({ value }) => value,
    ...digitsOf(['updatedAt'], metadataValue),
  }
}
