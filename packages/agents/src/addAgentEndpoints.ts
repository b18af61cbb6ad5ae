import type { FastifyInstance } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { parseAgentId } from '@attestry/core/model/agents.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { AgentFilter, StoredAgent } from './projection/agentQueries.ts'
import type { Page, PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import { attestationMembers } from '@attestry/core/model/recordJson.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import { aboutChains, asOfHeader, type Question, type View } from '@attestry/server/pipeline/asOf/openView.ts'
import { refuseBeside } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import type { Endpoint, EndpointAnswer } from '@attestry/server/pipeline/endpoint.ts'
import {
  answerListing,
  answerPage,
  noRows,
  pageOfOne,
  type ListingReads,
} from '@attestry/server/records/answerListing.ts'
import { pageLinks } from '@attestry/server/records/pageLinks.ts'
import type { ParameterSet, ParameterValues } from '@attestry/server/pipeline/parameters/parameter.ts'
import { chainsOfListed } from '@attestry/server/pipeline/parameters/idParameters.ts'
import { readPlace } from '@attestry/server/pipeline/parameters/readPlace.ts'
import { pageOf, stepOf, type Shown } from '@attestry/server/records/payloadSchemas.ts'
import { includeNamesParameter, presentNamed, withNames } from '@attestry/server/records/include.ts'
import { readRegistrationFile } from './agentFiles.ts'
import { findAgent, idOfAgent, listMetadata, readDirectory, type FoundAgent } from './agentDirectory.ts'
import {
  agentFilterOf,
  agentListParameters,
  agentPageParameters,
  feedbackParameters,
  ofAgentParameters,
  reputationParameters,
} from './agentParameters.ts'
import {
  agentRow,
  feedbackPage,
  historyRow,
  reputation,
  responseRow,
  singleAgent,
  validationRow,
} from './agentSchemas.ts'
import { describeFeedback, feedbackFilter, readFeedbackPage } from './feedbackLists.ts'
import { describeAgent, describeChange, describeResponse, presentSingleAgent } from './presentAgent.ts'
import { readReputation } from './reputation.ts'
import { readSummary } from './summary.ts'
import { describeValidation, readValidationPage } from './validations.ts'

const agentList = Type.Union([pageOf(agentRow), stepOf(agentRow)])

/** Agents, their feedback and their history (docs/erc8004.md, "Agents over REST"). */
export function addAgentEndpoints(app: FastifyInstance, context: ApiContext): void {
  // Content comes and goes by the clock, not with the versions of the index.
  const followsContent = context.content !== null
  addEndpoint(app, context, {
    path: '/scan/agents',
    summary: 'Agents, newest first by default; filters combine',
    description:
      'A page with its exact total, or with `cursor` a step of a walk, which costs the same at any depth.',
    parameters: agentListParameters,
    rank: 4,
    tool: {
      name: 'list_agents',
      description:
        'AI agents of ERC-8004 that pass all given filters, newest first, with what their registrations say and the exact total.',
    },
    data: agentList,
    about: ({ chainId }) => aboutChains(chainsOfListed(chainId)),
    answer: (_reader, values, url, { newest }) => answerAgents(context, newest, values, url),
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id',
    summary: 'An agent by its id',
    description:
      'The agent with its metadata and its registration file, where that is known. With `asOf`, as it was then.',
    parameters: { ...ofAgentParameters, include: includeNamesParameter },
    rank: 4,
    tool: {
      name: 'get_agent',
      argumentDescriptions: { id: 'Id of the agent. Example: 8453:22.' },
      description:
        'One agent of ERC-8004: who owns it, what its registration says, its endpoints and metadata. Ids are such as 8453:22.',
    },
    data: singleAgent,
    about: (values) => ({ ...aboutAgent(values), namesBlocks: true }),
    answer: async (reader, { id: asked, include }, _url, view) => {
      const { agent, id } = await findAgent(reader, asked, view, true)
      const metadata = await listMetadata(reader, agent)
      const registration = await readRegistrationFile(agent, context.content)
      const present = presentNamed(include, context, () =>
        presentSingleAgent(agent, id, metadata, registration),
      )
      const asOf = await asOfHeader(view, [asked.chainId])
      return { data: present(agent), followsClock: followsContent, asOf }
    },
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id/feedback',
    summary: 'The feedback for an agent, newest first; filters combine',
    description:
      'Each row has what its payload says and its number of responses. `by` keeps the feedback of reviewers that a policy lets through.',
    parameters: feedbackParameters,
    rank: 4,
    tool: {
      name: 'list_feedback',
      argumentDescriptions: { id: 'Id of the agent. Example: 8453:22.' },
      description:
        'The feedback that an agent of ERC-8004 was given, newest first. Anybody may give it under any number of keys: by ' +
        'names a policy of the server, and takes the feedback of reviewers that it lets through.',
    },
    data: feedbackPage,
    about: (values) => aboutReviewed(context, values),
    answer: (reader, values, url, view) => answerFeedback(context, reader, values, url, view),
  })
  addAgentPage(app, context, {
    path: '/scan/agents/:id/responses',
    summary: 'The responses to the feedback for an agent, newest first',
    description: 'Each row names the feedback that it answers.',
    row: responseRow,
    read: (reader, { agent: { key } }, request) => {
      const filter = {
        kind: 'feedbackResponse',
        chainId: key.chainId,
        agent: key.subject,
        targets: null,
      } as const
      return reader.listAgentNotes(filter, request)
    },
    describe: describeResponse,
  })
  addAgentPage(app, context, {
    path: '/scan/agents/:id/validations',
    summary: 'The validations that were asked for an agent, newest request first',
    description: 'Each request with its newest response.',
    rank: 4,
    tool: {
      name: 'list_validations',
      argumentDescriptions: { id: 'Id of the agent. Example: 8453:22.' },
      description:
        'The validations that were asked for an agent of ERC-8004, newest request first, each with the newest response of its validator.',
    },
    row: validationRow,
    read: readValidationPage,
    describe: (row) => describeValidation(row, context.decodePayload),
  })
  addAgentPage(app, context, {
    path: '/scan/agents/:id/history',
    summary: 'The versions of an agent, newest first',
    description: 'One row for each event of the registry of identities.',
    row: historyRow,
    read: (reader, { agent: { key } }, request) => reader.listAgentHistory(key, request),
    describe: describeChange,
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id/reputation',
    summary: 'What the feedback for an agent adds up to, by tag',
    description:
      'Counts and averages of feedback that is not revoked. `by` adds those of reviewers that a policy lets through, and `client[in]` what `getSummary` of the registry returns.',
    parameters: reputationParameters,
    data: reputation,
    rank: 4,
    tool: {
      name: 'get_reputation',
      description:
        'What the feedback for an agent of ERC-8004 adds up to. Anybody may give feedback under any number of keys. Name ' +
        'clients whom the user trusts (client: {in: [addresses]}) for summary, which is the answer of the contract. Or name ' +
        'a policy of the server (by).',
      argumentDescriptions: { id: 'Id of the agent. Example: 8453:22.' },
    },
    about: (values) => aboutReviewed(context, values),
    answer: (reader, values, _url, view) => answerReputation(context, reader, values, view),
  })
}

/** Rows of one kind that belong to an agent. */
interface AgentPage<Row> extends Pick<
  Endpoint<ParameterSet, TSchema>,
  'path' | 'summary' | 'description' | 'tool' | 'rank'
> {
  /** The schema of a row. */
  readonly row: TSchema
  readonly read: (reader: PastReader, found: FoundAgent, request: PageRequest) => Promise<Page<Row>>
  readonly describe: (row: Row) => object
}

function addAgentPage<Row>(
  app: FastifyInstance,
  context: ApiContext,
  { row, read, describe, ...endpoint }: AgentPage<Row>,
): void {
  addEndpoint(app, context, {
    ...endpoint,
    parameters: agentPageParameters,
    data: pageOf(row),
    about: aboutAgent,
    answer: async (reader, { id, page: number, size }, url, view) => {
      const request = { page: number, size }
      const page = await read(reader, await findAgent(reader, id, view), request)
      return answerPage(url, request, page, describe)
    },
  })
}

function aboutAgent({ id, asOf }: ParameterValues<typeof ofAgentParameters>): Question {
  return { asOf, chainIds: [id.chainId] }
}

/** The same with the chains of the policy that reviewers have to pass. */
function aboutReviewed(
  { chainsOfPolicy }: ApiContext,
  values: Pick<ParameterValues<typeof reputationParameters>, 'id' | 'by' | 'asOf'>,
): Question {
  const ofPolicy = values.by === null ? [] : chainsOfPolicy(values.by)
  const { asOf } = values
  // A moment beside a policy is refused.
  return { asOf, chainIds: [...new Set([values.id.chainId, ...(asOf === null ? ofPolicy : [])])] }
}

async function answerAgents(
  context: ApiContext,
  reader: IndexReader,
  values: ParameterValues<typeof agentListParameters>,
  url: string,
): Promise<EndpointAnswer<Shown<typeof agentList>>> {
  const { keyword, include, size, order } = values
  const followsClock = context.content !== null
  const place = readPlace(values, null)
  if (place.kind === 'cursor' && order !== null) {
    throw new BadParameterError('cursor does not combine with order; leave one of them out.')
  }
  const directory = await readDirectory(reader)
  const present = presentNamed(include, context, (agent: StoredAgent) =>
    describeAgent(agent, idOfAgent(directory, agent.key)),
  )
  const narrowed = agentFilterOf(values)
  const filter = narrowed && { ...narrowed, order: order ?? narrowed.order }
  const reads: ListingReads<StoredAgent> = {
    page: (request) => findAgents(reader, filter, keyword, request),
    slice: (after, limit) => filter && reader.sliceAgents({ filter, order: 'newestFirst', after, limit }),
  }
  const answer = await answerListing({ place, size, url }, reads, (rows) => rows.map(present))
  return { ...answer, followsClock }
}

/** The agent that a keyword names by its id, or else those of the filter. */
async function findAgents(
  reader: IndexReader,
  filter: AgentFilter | null,
  keyword: ClassifiedKeyword | null,
  request: PageRequest,
): Promise<Page<StoredAgent>> {
  const named = keyword === null ? null : parseAgentId(keyword.text)
  if (filter === null) return noRows
  if (named === null) return await reader.listAgents(filter, request)
  const [agent = null] = await reader.findAgents([named])
  const isOther = filter.chainId !== null && filter.chainId !== named.chainId
  return pageOfOne(isOther ? null : agent, request)
}

async function answerFeedback(
  context: ApiContext,
  reader: PastReader,
  { id: asked, by, asOf, include, page, size, ...filters }: ParameterValues<typeof feedbackParameters>,
  url: string,
  view: View,
): Promise<EndpointAnswer<Shown<typeof feedbackPage>>> {
  refuseBeside(asOf, 'by', by)
  const found = await findAgent(reader, asked, view, true)
  const request = { page, size }
  const filter = feedbackFilter(found.agent, found.id, filters)
  const { total, rows, summary } = await readFeedbackPage(reader, context.judgeByPolicy, by, filter, request)
  const told = describeFeedback(reader, context.decodePayload, found.agent, rows)
  const [responses, eas] = await Promise.all([
    told.responseCounts(),
    told.easReferences(() => Math.floor(view.now() / 1000)),
  ])
  const shown = told.said.map(({ row, ...said }, index) => ({
    ...attestationMembers(row),
    revoked: row.revocation !== null,
    ...said,
    responseCount: responses[index] ?? 0,
    eas: eas[index] ?? null,
  }))
  const named = shown.map((row) => withNames(include, row, context.names, []))
  const data = { total, rows: named, ...request, by: summary }
  return { data, link: pageLinks(url, request, total), followsClock: asOf === null }
}

async function answerReputation(
  context: ApiContext,
  reader: PastReader,
  { id: asked, by, asOf, client, tag1, tag2 }: ParameterValues<typeof reputationParameters>,
  view: View,
): Promise<EndpointAnswer<Shown<typeof reputation>>> {
  refuseBeside(asOf, 'by', by)
  const found = await findAgent(reader, asked, view)
  // A policy may ask for the time.
  const followsClock = by !== null
  const isSummarized = client !== null || tag1 !== null || tag2 !== null
  const question = { clients: client ?? [], tag1: tag1 ?? '', tag2: tag2 ?? '' }
  const summary = isSummarized ? await readSummary(context, reader, found, question) : null
  return { data: { ...(await readReputation(context, reader, found, by)), summary }, followsClock }
}
