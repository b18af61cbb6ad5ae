import { agentProtocol, validationSchemaId } from '@attestry/core/model/agents.ts'
import type { AgentFilter, StoredAgent } from '../projection/agentQueries.ts'
import { everyAttestation, type SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { readRegistrationFile } from '../agentFiles.ts'
import {
  findNamedAgent,
  idOfAgent,
  listMetadata,
  metadataMax,
  readDirectory,
  readWholeUri,
  type FoundAgent,
} from '../agentDirectory.ts'
import { agentFilterOf, agentFilterParameters, feedbackParameters } from '../agentParameters.ts'
import { agentIdParameter } from '@attestry/server/pipeline/parameters/agentIdParameter.ts'
import type { EasReference } from '../easReferences.ts'
import { describeFeedback, feedbackFilter, readFeedbackPage } from '../feedbackLists.ts'
import {
  describeChange,
  describeDids,
  describeMetadata,
  describeResponse,
  describeAgent,
} from '../presentAgent.ts'
import { readReputation } from '../reputation.ts'
import { readSummary } from '../summary.ts'
import { aboutChains } from '@attestry/server/pipeline/asOf/openView.ts'
import { chainsOfListed, readAddress } from '@attestry/server/pipeline/parameters/idParameters.ts'
import { connectionSize } from '@attestry/server/interfaces/graphql/input/readConnection.ts'
import { readMembers } from '@attestry/server/interfaces/graphql/input/readFilters.ts'
import { pageSize, readPage } from '@attestry/server/interfaces/graphql/input/readPage.ts'
import type { RequestContext } from '@attestry/server/interfaces/graphql/requestContext.ts'
import {
  connect,
  connectAttestations,
  connectionFields,
  edgeFields,
  once,
} from '@attestry/server/interfaces/graphql/fields/connection.ts'
import type { TypeBehaviour } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'

const { client, tag1, tag2, revoked, by: policy } = feedbackParameters
const feedbackArguments = { client, tag1, tag2, revoked, by: policy }
const reputationArguments = { by: policy }

/** The arguments of `summary`, as GraphQL has checked them. */
interface SummaryArguments {
  readonly clients: readonly string[]
  readonly tag1: string | null
  readonly tag2: string | null
}

/** The tags of a reputation: its part in the cost of a query. */
const reputationSize = 100

export const agentBehaviours = {
  Query: {
    agent: {
      about: (values) => aboutChains([agentIdParameter.read(String(values['id'])).chainId]),
      resolve: async (_root, values, { reader, followContent }) => {
        followContent()
        const found = await findNamedAgent(reader, agentIdParameter.read(String(values['id'])))
        return found === null ? null : agentNode(found)
      },
    },
    agents: {
      about: ({ filter }) => aboutChains(chainsOfListed(readMembers(agentFilterParameters, filter).chainId)),
      size: connectionSize,
      resolve: (_root, values, context) => {
        const { newest: reader, followContent } = context
        followContent()
        return connect(agentFilterOf(readMembers(agentFilterParameters, values['filter'])), values, context, {
          slice: (request: SliceRequest<AgentFilter>) => reader.sliceAgents(request),
          count: async (filter) => (await reader.listAgents(filter, { page: 1, size: 1 })).total,
          toNodes: async (agents) => {
            const directory = await readDirectory(reader)
            return agents.map((agent) => agentNode({ agent, id: idOfAgent(directory, agent.key) }))
          },
        })
      },
    },
  },
  Agent: {
    uri: ({ agent }, _values, { reader }) => readWholeUri(reader, agent),
    registration: async ({ agent }, _values, { reader, content }) => {
      const uri = await readWholeUri(reader, agent)
      const json = await readRegistrationFile({ ...agent, uri }, content)
      return json === null ? null : (JSON.parse(json) as unknown)
    },
    metadata: {
      size: () => metadataMax,
      resolve: async ({ agent }, _values, { reader }) =>
        (await listMetadata(reader, agent)).map(describeMetadata),
    },
    didAddresses: ({ agent }) => describeDids(agent),
    feedback: {
      size: pageSize,
      resolve: async ({ agent, id }, values, context) => {
        const { by, ...filters } = readMembers(feedbackArguments, values)
        const page = readPage(values)
        const filter = feedbackFilter(agent, id, filters)
        const read = () => readFeedbackPage(context.reader, context.judgeByPolicy, by, filter, page)
        const { total, rows, summary } = await (by === null ? read() : walk(context, by, read))
        return { ...page, total, rows: feedbackNodes(context, agent, rows), by: summary }
      },
    },
    reputation: {
      size: () => reputationSize,
      resolve: ({ agent, id }, values, context) => {
        const { by } = readMembers(reputationArguments, values)
        return walk(context, by, () => readReputation(context, context.reader, { agent, id }, by))
      },
    },
    summary: {
      size: () => reputationSize,
      resolve: ({ agent, id }, values, context) => {
        const { clients, tag1, tag2 } = values as unknown as SummaryArguments
        const question = { clients: clients.map((client) => readAddress('clients', client)) }
        const tags = { tag1: tag1 ?? '', tag2: tag2 ?? '' }
        return walk(context, null, () =>
          readSummary(context, context.reader, { agent, id }, { ...question, ...tags }),
        )
      },
    },
    responses: {
      size: pageSize,
      resolve: async ({ agent: { key } }, values, { reader }) => {
        const page = readPage(values)
        const filter = { chainId: key.chainId, agent: key.subject, targets: null } as const
        const { total, rows } = await reader.listAgentNotes({ kind: 'feedbackResponse', ...filter }, page)
        return { ...page, total, rows: rows.map(describeResponse) }
      },
    },
    validations: {
      size: connectionSize,
      resolve: ({ agent: { key }, id }, values, context, info) => {
        const schema = { chainId: key.chainId, protocol: agentProtocol, localId: validationSchemaId }
        const filter = { ...everyAttestation, schema, recipient: { kind: 'value', value: id } } as const
        return connectAttestations(filter, values, context, info)
      },
    },
    history: {
      size: pageSize,
      resolve: async ({ agent }, values, { reader }) => {
        const page = readPage(values)
        const { total, rows } = await reader.listAgentHistory(agent.key, page)
        return { ...page, total, rows: rows.map(describeChange) }
      },
    },
  },
  AgentConnection: connectionFields,
  AgentEdge: edgeFields,
  AgentFeedback: {
    responseCount: ({ responseCount }) => responseCount(),
    eas: ({ eas }) => eas(),
  },
} satisfies {
  readonly Query: TypeBehaviour<unknown>
  readonly Agent: TypeBehaviour<AgentNode>
  readonly AgentConnection: TypeBehaviour<never>
  readonly AgentEdge: TypeBehaviour<never>
  readonly AgentFeedback: TypeBehaviour<FeedbackNode>
}

/** Looks at all feedback for an agent: bounded as totals are. */
function walk<Result>(
  { countRows, now }: RequestContext,
  by: string | null,
  read: () => Promise<Result>,
): Promise<Result> {
  // A policy may ask for the time: the answer is not cached.
  if (by !== null) now()
  return countRows(read)
}

interface FeedbackNode {
  readonly attestation: StoredAttestation
  readonly responseCount: () => Promise<number>
  readonly eas: () => Promise<EasReference | null>
}

/** The feedback of a page. Each further read is made once for the whole page. */
function feedbackNodes(
  { reader, decodePayload, now }: RequestContext,
  agent: StoredAgent,
  rows: readonly StoredAttestation[],
): readonly FeedbackNode[] {
  const { said, responseCounts, easReferences } = describeFeedback(reader, decodePayload, agent, rows)
  const counts = once(responseCounts)
  const references = once(() => easReferences(() => Math.floor(now() / 1000)))
  return said.map(({ row: attestation, ...texts }, index) => ({
    ...texts,
    attestation,
    responseCount: async () => (await counts())[index] ?? 0,
    eas: async () => (await references())[index] ?? null,
  }))
}

/** An agent in a query: the members that REST has, and the agent for what is read when it is asked for. */
type AgentNode = ReturnType<typeof agentNode>

function agentNode({ agent, id }: FoundAgent) {
  const { revokedCount, responseCount, versionCount } = agent
  return { ...describeAgent(agent, id), revokedCount, responseCount, versionCount, agent }
}
