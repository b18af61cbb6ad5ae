import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { parseAgentId } from '../../model/agents.ts'
import { checksumAddress } from '../../model/checksumAddress.ts'
import { formatCompositeId } from '../../model/compositeId.ts'
import { foldText } from '../../model/foldText.ts'
import { zeroAddress } from '../../model/hex.ts'
import type { ClassifiedKeyword } from '../../model/keyword.ts'
import { positionBlock, type Position } from '../../model/position.ts'
import {
  everyAgent,
  type AgentFilter,
  type StoredAgent,
  type StoredAgentChange,
  type StoredAgentNote,
} from '../../store/agentQueries.ts'
import { endOf } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import type { EndpointAnswer } from '../endpoint.ts'
import { cursorLinks, pageLinks } from '../listings/pageLinks.ts'
import { isUnknown } from '../parameters/attestationFilterParameters.ts'
import type { ParameterValues } from '../parameters/parameter.ts'
import { readPlace } from '../parameters/readPlace.ts'
import { pageOf, stepOf } from '../rest/payloadSchemas.ts'
import { presentRow, withMembers } from '../rest/presentAttestation.ts'
import { joinRows, presentPage, presentPageOfJson, presentStepOfJson } from '../rest/presentList.ts'
import { formatRowCursor } from '../rowCursor.ts'
import { findAgent, idOfAgent, readDirectory, type FoundAgent } from './agentDirectory.ts'
import {
  agentIdParameter,
  agentListParameters,
  agentPageParameters,
  feedbackParameters,
  reputationParameters,
} from './agentParameters.ts'
import { agentRow, feedbackPage, historyRow, reputation, responseRow, singleAgent } from './agentSchemas.ts'
import { decodeFeedback, formatDecimal } from './decodeFeedback.ts'
import { readEasReferences } from './easReferences.ts'
import { everyFeedback, feedbackFilter, judgeFeedback, listFeedback, walkFeedback } from './feedbackLists.ts'
import { formatAddress, presentAgent, presentSingleAgent } from './presentAgent.ts'
import { createScores } from './reputation.ts'

/** Agents, their feedback and their history (docs/api.md, "Agents of ERC-8004"). */
export function addAgentEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/agents',
    summary: 'Agents, newest first; filters combine',
    parameters: agentListParameters,
    data: Type.Union([pageOf(agentRow), stepOf(agentRow)]),
    answer: answerAgents,
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id',
    summary: 'An agent by its id',
    parameters: { id: agentIdParameter },
    data: singleAgent,
    answer: async (reader, { id: asked }) => {
      const { agent, id } = await findAgent(reader, asked, true)
      const metadata = await reader.listAgentMetadata(
        { chainId: agent.key.chainId, subjects: [agent.key.subject], names: null },
        -1,
        metadataMax,
      )
      return presentSingleAgent(agent, id, metadata)
    },
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id/feedback',
    summary: 'The feedback for an agent, newest first; filters combine',
    parameters: feedbackParameters,
    data: feedbackPage,
    answer: (reader, values, url) => answerFeedback(context, reader, values, url),
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id/responses',
    summary: 'The responses to the feedback for an agent, newest first',
    parameters: agentPageParameters,
    data: pageOf(responseRow),
    answer: async (reader, { id: asked, ...request }, url) => {
      const { key } = (await findAgent(reader, asked)).agent
      const filter = {
        kind: 'feedbackResponse',
        chainId: key.chainId,
        agent: key.subject,
        targets: null,
      } as const
      const page = await reader.listAgentNotes(filter, request)
      return paged(url, request, page.total, presentPage(page, request, presentResponse))
    },
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id/history',
    summary: 'The versions of an agent, newest first',
    parameters: agentPageParameters,
    data: pageOf(historyRow),
    answer: async (reader, { id: asked, ...request }, url) => {
      const { key } = (await findAgent(reader, asked)).agent
      const page = await reader.listAgentHistory(key, request)
      return paged(url, request, page.total, presentPage(page, request, presentChange))
    },
  })
  addEndpoint(app, context, {
    path: '/scan/agents/:id/reputation',
    summary: 'What the feedback for an agent adds up to, by tag',
    parameters: reputationParameters,
    data: reputation,
    answer: (reader, values) => answerReputation(context, reader, values),
  })
}

/** Metadata keys of a single agent. */
const metadataMax = 256

async function answerAgents(
  reader: IndexReader,
  values: ParameterValues<typeof agentListParameters>,
  url: string,
): Promise<EndpointAnswer> {
  const { owner, chainId, active, hasFeedback, keyword, size } = values
  const place = readPlace(values, null)
  const directory = await readDirectory(reader)
  const present = (agent: StoredAgent) => presentAgent(agent, idOfAgent(directory, agent.key))
  const filter = isUnknown(chainId)
    ? null
    : {
        ...everyAgent,
        owner,
        chainId: chainId?.value ?? null,
        active,
        hasFeedback,
        folded: keyword && foldText(keyword.text),
      }
  if (place.kind === 'cursor') {
    const after = place.cursor.place
    const slice = filter && (await reader.sliceAgents({ filter, order: 'newestFirst', after, limit: size }))
    const end = slice && endOf(slice)
    const next = slice?.hasMore === true && end !== null ? formatRowCursor(end) : null
    const dataJson = presentStepOfJson(joinRows(slice?.rows ?? [], present), size, next)
    return { dataJson, link: cursorLinks(url, next), followsClock: false }
  }
  const request = { page: place.page, size }
  const found = await findAgents(reader, filter, keyword, request)
  return paged(url, request, found.total, presentPage(found, request, present))
}

/** The agent that a keyword names by its id, or else those of the filter. */
async function findAgents(
  reader: IndexReader,
  filter: AgentFilter | null,
  keyword: ClassifiedKeyword | null,
  request: { readonly page: number; readonly size: number },
): Promise<{ readonly total: number; readonly rows: readonly StoredAgent[] }> {
  const named = keyword === null ? null : parseAgentId(keyword.text)
  if (filter === null) return { total: 0, rows: [] }
  if (named === null) return await reader.listAgents(filter, request)
  const [agent] = await reader.findAgents([named])
  const isOther = filter.chainId !== null && filter.chainId !== named.chainId
  const rows = agent === null || agent === undefined || isOther ? [] : [agent]
  return { total: rows.length, rows: request.page === 1 ? rows : [] }
}

async function answerFeedback(
  context: ApiContext,
  reader: IndexReader,
  { id: asked, by, page, size, ...filters }: ParameterValues<typeof feedbackParameters>,
  url: string,
): Promise<EndpointAnswer> {
  const found = await findAgent(reader, asked, true)
  const filter = feedbackFilter(found.agent, found.id, filters)
  const request = { page, size }
  if (by === null) {
    const { total, rows } = await listFeedback(reader, filter, request)
    const rowsJson = await presentFeedback(context, reader, found, rows)
    const dataJson = withMembers(presentPageOfJson(total, rowsJson, request), '"by":null')
    return { dataJson, link: pageLinks(url, request, total), followsClock: true }
  }
  const { allowed, summary } = await judgeFeedback(reader, context.judgeByPolicy, by, filter)
  const rows = allowed.slice((page - 1) * size, page * size)
  const rowsJson = await presentFeedback(context, reader, found, rows)
  const members = `"by":${JSON.stringify(summary)}`
  const dataJson = withMembers(presentPageOfJson(allowed.length, rowsJson, request), members)
  return { dataJson, link: pageLinks(url, request, allowed.length), followsClock: true }
}

async function presentFeedback(
  { decodePayload, now }: ApiContext,
  reader: IndexReader,
  { agent }: FoundAgent,
  rows: readonly StoredAttestation[],
): Promise<string> {
  const feedback = rows.map((row) => decodeFeedback(row, decodePayload))
  const targets = rows.map(({ key }) => key.localId)
  const [responses, eas] = await Promise.all([
    reader.countAgentNotes('feedbackResponse', agent.key.chainId, targets),
    readEasReferences(reader, agent, feedback, Math.floor(now() / 1000)),
  ])
  return joinRows([...rows.entries()], ([index, row]) => {
    const { value = null, ...texts } = feedback[index] ?? {}
    const members = {
      revoked: row.revocation !== null,
      value: value && formatDecimal(value),
      ...texts,
      responseCount: responses[index] ?? 0,
      eas: eas[index] ?? null,
    }
    return withMembers(presentRow(row), JSON.stringify(members).slice(1, -1))
  })
}

async function answerReputation(
  { judgeByPolicy, decodePayload }: ApiContext,
  reader: IndexReader,
  { id: asked, by }: ParameterValues<typeof reputationParameters>,
): Promise<EndpointAnswer | string> {
  const { agent, id } = await findAgent(reader, asked)
  const filter = feedbackFilter(agent, id, { ...everyFeedback, revoked: false })
  const whole = createScores(decodePayload)
  if (by === null) {
    for await (const rows of walkFeedback(reader, filter)) whole.add(rows)
    return JSON.stringify({ ...whole.scores(), by: null })
  }
  const { all, allowed, summary } = await judgeFeedback(reader, judgeByPolicy, by, filter)
  whole.add(all)
  const some = createScores(decodePayload)
  some.add(allowed)
  const dataJson = JSON.stringify({ ...whole.scores(), by: { ...some.scores(), ...summary } })
  // A policy may ask for the time.
  return { dataJson, link: null, followsClock: true }
}

function paged(
  url: string,
  request: { readonly page: number; readonly size: number },
  total: number,
  dataJson: string,
): EndpointAnswer {
  return { dataJson, link: pageLinks(url, request, total), followsClock: false }
}

function presentResponse(note: StoredAgentNote): string {
  return JSON.stringify({
    feedbackId: formatCompositeId({ chainId: note.chainId, localId: note.target }),
    client: checksumAddress(note.client ?? zeroAddress),
    feedbackIndex: note.feedbackIndex ?? '0',
    responder: checksumAddress(note.account),
    responseURI: note.uri,
    responseHash: note.hash,
    timestamp: String(note.timestamp),
    blockNumber: positionBlock(note.position as Position),
    transactionHash: note.transactionHash,
  })
}

function presentChange(change: StoredAgentChange): string {
  const owner =
    change.change === 'registered' ? change.owner : change.change === 'transferred' ? change.to : null
  return JSON.stringify({
    change: change.change,
    owner: formatAddress(owner),
    from: formatAddress(change.change === 'transferred' ? change.from : null),
    uri: 'uri' in change ? change.uri : '',
    updatedBy: formatAddress(change.change === 'uriUpdated' ? change.by : null),
    key: change.change === 'metadataSet' ? change.key : '',
    value: change.change === 'metadataSet' ? change.value : '',
    timestamp: String(change.timestamp),
    blockNumber: positionBlock(change.position as Position),
    transactionHash: change.transactionHash,
  })
}
