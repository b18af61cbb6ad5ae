import { zeroAddress } from '@attestry/core/model/hex.ts'
import { agentNumber, agentSubject } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { everyAgent, type AgentFilter, type StoredAgent } from '@attestry/agents/projection/agentQueries.ts'
import { readWholeUri } from '@attestry/agents/agentDirectory.ts'
import { everyWayHas } from '../engine/alternatives.ts'
import { allOf, type Condition, type FieldCondition } from '../engine/condition.ts'
import { comparedValues, keyField, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { createMatcher, passes } from '../engine/matchCondition.ts'
import { addressPart, openArms, planReads, type ReadRules } from '../engine/planReads.ts'
import { keysMax, loadAll } from '../engine/readByIds.ts'
import { nullValue, wholeWalk, type Relation, type WalkRequest } from '../engine/rowSource.ts'
import type { OrderKey } from '../engine/sortRows.ts'
import { comparePlaces, walkArms } from '../engine/walkArms.ts'
import { agentNumbers, nextOf } from './agentNumbers.ts'
import { shortId, subjectOfId } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { field } from './fields.ts'
import { fileId, hasFile, registrationValue, uriType } from './registrationFile.ts'

const fields: GraphNodeEntity<StoredAgent, Erc8004Context>['fields'] = {
  id: field('ID!', ({ key }) => shortId(key)),
  chainId: field('BigInt!', ({ key }) => key.chainId),
  agentId: field('BigInt!', ({ key }) => agentNumber(key.subject), { kind: 'uint' }),
  agentURI: field('String', ({ uri }) => uri, {
    resolve: (agent, _values, { reader }) => readWholeUri(reader, agent),
  }),
  agentURIType: field('String', ({ uri }) => uriType(uri)),
  owner: field('Bytes!', ({ owner }) => owner ?? zeroAddress),
  agentWallet: field('Bytes', ({ wallet }) => wallet),
  operators: field('[Bytes!]!', () => [], { description: 'Approvals are not indexed: the list is empty.' }),
  createdAt: field('BigInt!', ({ registeredTimestamp }) => registeredTimestamp),
  updatedAt: field('BigInt!', ({ updatedTimestamp }) => updatedTimestamp),
  totalFeedback: field('BigInt!', ({ feedbackCount, revokedCount }) => feedbackCount - revokedCount, {
    description: 'Feedback that is not revoked.',
  }),
  lastActivity: field('BigInt!', lastActivity),
  registrationFile: keyField((agent) => (hasFile(agent) ? fileId(agent) : null)),
}

const ownValue = comparedValues(fields)
const filePrefix = 'registrationFile.'

/** The value of a field of an agent or, behind the name of the relation, of its file. */
export function agentValue(agent: StoredAgent, name: string) {
  if (name === anyFeedback) return agent.feedbackCount
  if (!name.startsWith(filePrefix)) return ownValue(null, agent, name)
  return hasFile(agent) ? registrationValue(null, agent, name.slice(filePrefix.length)) : nullValue
}

/** The times of the newest registration, change or feedback. */
export function lastActivity({ updatedTimestamp, feedbackTimestamp }: StoredAgent): number {
  return Math.max(updatedTimestamp, feedbackTimestamp)
}

/** Rows that an order leaves equal stand by their place on the chain. */
export const agentEntity: GraphNodeEntity<StoredAgent, Erc8004Context> = {
  name: 'Agent',
  fields,
  related: { registrationFile: 'AgentRegistrationFile' },
  walkedFields: ['createdAt', 'updatedAt'],
  valueOf: (_context, agent, name) => agentValue(agent, name),
  async open(context, { condition, order, by, after, expected }) {
    const listed = by === 'updatedAt' ? 'updated' : 'registered'
    const plan = await planReads(agentRules(listed), context, condition)
    const arms = await openArms(
      plan,
      (request) => context.reader.sliceAgents(request),
      async (ids) =>
        (await loadAll(context.agents, ids)).flatMap((agent) =>
          agent === null ? [] : [placed(agent, listed)],
        ),
    )
    return {
      rest: plan.rest,
      read: () => walkArms(arms, { order, after, expected }, context.budget, sizeOfAgent),
    }
  },
  async find(context, id) {
    const subject = subjectOfId(context, id)
    return subject === null ? null : await context.agents.load(subject)
  },
  shortlist,
}

/** The agent of a row, which is never null: rows of agents that are not indexed are left out, as the subgraph does. */
export function agentRelation<Row>(subjectOf: (row: Row) => LocalId): Relation<Row, Erc8004Context> {
  return {
    load: async ({ agents }, rows) =>
      (await loadAll(agents, rows.map(subjectOf))).map(
        (agent) => agent && ((name) => agentValue(agent, name)),
      ),
    isRequired: true,
  }
}

/**
 * Agents among which the first ones of an order stand, where the condition leaves all agents of the chain and not all of
 * them have to be read.
 */
async function shortlist(
  context: Erc8004Context,
  condition: Condition,
  { field: orderBy, isDescending }: OrderKey,
  enough: number,
): Promise<readonly StoredAgent[] | null> {
  if (!(await isOfWholeChain(context, condition))) return null
  if (orderBy === 'id' || orderBy === 'agentId')
    return await findByNumber(context, condition, { orderBy, isDescending, enough })
  if (!isDescending) return null
  const walk = { ...wholeWalk(condition), expected: enough }
  const isLongEnough = (matching: readonly StoredAgent[]) => matching.length >= enough
  if (orderBy === 'totalFeedback' || orderBy === 'lastActivity') {
    // Agents without feedback have none to be counted, and were last active when they changed.
    const by = orderBy === 'totalFeedback' ? 'createdAt' : 'updatedAt'
    const others = await newestAgents(context, { ...walk, by }, isLongEnough)
    const test = { kind: 'gt', value: 0, folds: false } as const
    const hasFeedback = allOf({ kind: 'field', field: anyFeedback, test }, condition)
    const reviewed = await newestAgents(context, wholeWalk(hasFeedback))
    const each = new Map(
      [...others, ...reviewed].map((agent) => [agent.key.subject, placed(agent, 'registered')]),
    )
    return [...each.values()].sort((a, b) => comparePlaces(b.place, a.place))
  }
  const hasFiles = everyWayHas(condition, needsFile)
  if (orderBy !== 'registrationFile.createdAt' || !hasFiles) return null
  // No file is newer than the newest change of its agent.
  return await newestAgents(context, { ...walk, by: 'updatedAt' }, (matching, last) => {
    const times = matching.map(({ uriTimestamp }) => uriTimestamp).sort((a, b) => b - a)
    return (times[enough - 1] ?? -1) > last.updatedTimestamp
  })
}

/** The field of the number of all feedback, revoked or not, of which no client knows. */
const anyFeedback = 'feedbackCount'

/**
 * The newest agents that match.
 * @param isEnough whether no further agent counts, from the matching ones and the last one that was read.
 */
async function newestAgents(
  context: Erc8004Context,
  walk: WalkRequest,
  isEnough: (matching: readonly StoredAgent[], last: StoredAgent) => boolean = () => false,
): Promise<readonly StoredAgent[]> {
  const { read } = await agentEntity.open(context, walk)
  const isMatch = createMatcher(walk.condition, agentValue, context.budget.compare)
  const matching: StoredAgent[] = []
  for await (const batch of read(new Set())) {
    matching.push(...(await context.budget.filter(batch, isMatch)))
    const last = batch.at(-1)
    if (last !== undefined && isEnough(matching, last)) break
  }
  return matching
}

/** Whether a condition leaves all agents of the chain to be read, but for those without a file or feedback. */
async function isOfWholeChain(context: Erc8004Context, condition: Condition): Promise<boolean> {
  const { filters, ids } = await planReads(agentRules('registered'), context, condition)
  return ids.size === 0 && filters.every(({ owner }) => owner === null)
}

/** The first matching agents by their numbers, where the chain has all numbers up to the greatest; null otherwise. */
async function findByNumber(
  context: Erc8004Context,
  condition: Condition,
  {
    orderBy,
    isDescending,
    enough,
  }: { readonly orderBy: 'id' | 'agentId'; readonly isDescending: boolean; readonly enough: number },
): Promise<readonly StoredAgent[] | null> {
  const { reader, chain, budget, agents } = context
  const { chainId } = chain
  const { total } = await reader.listAgents({ ...everyAgent, chainId }, { page: 1, size: 1 })
  const greatest = await reader.findGreatestAgent(chainId)
  if (greatest === null || BigInt(greatest) + 1n !== BigInt(total)) return null
  const isMatch = createMatcher(condition, agentValue, budget.compare)
  const numbers = agentNumbers(orderBy, total, isDescending)
  const matching: StoredAgent[] = []
  while (matching.length < enough) {
    const subjects = nextOf(numbers, keysMax).map((number) => agentSubject(BigInt(number)))
    if (subjects.length === 0) break
    const found = (await loadAll(agents, subjects)).filter((agent) => agent !== null)
    await budget.readRows(found, sizeOfAgent)
    matching.push(...(await budget.filter(found, isMatch)))
  }
  return matching
}

/** An agent with its place in the order. */
function placed(agent: StoredAgent, order: AgentFilter['order']): StoredAgent {
  const timestamp = order === 'updated' ? agent.updatedTimestamp : agent.registeredTimestamp
  return { ...agent, place: { ...agent.place, timestamp } }
}

/** Narrows reads by the fields of agents. */
function agentRules(order: AgentFilter['order']): ReadRules<Erc8004Context, AgentFilter> {
  return {
    every: ({ chain }) => ({ ...everyAgent, chainId: chain.chainId, order }),
    idOf: (context, value) => subjectOfId(context, String(value)),
    fields: { owner: addressPart('owner') },
    absent: { owner: zeroAddress },
    narrow: ({ content }, tests, filters) => {
      const hasFeedback = tests.some(needsFeedback) ? true : null
      // The index knows of no file that content holds.
      const hasFile = content === null && tests.some(needsFile) ? true : null
      return filters.map((filter) => ({ ...filter, hasFeedback, hasFile }))
    },
  }
}

/** Whether no agent without feedback passes a test. */
function needsFeedback({ field: name, test }: FieldCondition): boolean {
  return (name === 'totalFeedback' || name === anyFeedback) && !passes(0, test)
}

/** Whether no agent without a file passes a test. */
function needsFile({ field: name, test }: FieldCondition): boolean {
  return name.startsWith('registrationFile') && !passes(nullValue, test)
}

/** The characters of an agent that count towards a request's limit. */
export function sizeOfAgent({ uri, profile }: StoredAgent): number {
  const { name, description, image, endpoints } = profile
  const ofEndpoints = endpoints.reduce((sum, each) => sum + 64 + each.endpoint.length, 0)
  return 400 + uri.length + name.length + description.length + image.length + ofEndpoints
}
