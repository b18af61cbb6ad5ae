import { parseAddress } from '@attestry/core/model/hex.ts'
import { agentSubject } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { everyAgent, type AgentFilter, type StoredAgent } from '@attestry/core/index/agentQueries.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import type { FieldCondition } from '../engine/condition.ts'
import { createMatcher, passes } from '../engine/matchCondition.ts'
import { keysMax, loadAll } from '../engine/readByIds.ts'
import { comparePlaces, readSorted, walkArms, type ReadArm } from '../engine/walkArms.ts'
import { sortRows } from '../engine/sortRows.ts'
import { agentNumbers, nextOf } from './agentNumbers.ts'
import { agentValue, hasFile, sizeOfAgent } from './agentRows.ts'
import { subjectOfId } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import type { ListArguments } from '../engine/graphNode/listArguments.ts'
import { nullValue } from './readWhere.ts'

/** The orders in which the store walks agents, by the field of the order. */
const walks: Readonly<Record<string, AgentFilter['order']>> = {
  createdAt: 'registered',
  updatedAt: 'updated',
}

/** The agents of a list. Rows that the order leaves equal stand by their place on the chain. */
export async function listAgents(
  context: Erc8004Context,
  list: ListArguments,
): Promise<readonly StoredAgent[]> {
  const { orderBy, isDescending, first, skip } = list
  const walked = walks[orderBy]
  const enough = skip + first
  if (walked !== undefined) {
    return (await walkAgents(context, list, { order: walked, isEnough: isLongAs(enough) })).slice(
      skip,
      enough,
    )
  }
  const found =
    (isOfWholeChain(context, list) ? await findFirst(context, list, enough) : null) ??
    (await walkAgents(context, list, { order: 'registered' }))
  return sortRows(found, [{ field: orderBy, isDescending }], agentValue).slice(skip, enough)
}

const isLongAs = (enough: number) => (matching: readonly StoredAgent[]) => matching.length >= enough

interface AgentWalk {
  readonly order: AgentFilter['order']
  readonly hasFeedback?: true
  /** Whether no further row counts, from the matching ones and the last row that was read; all count by default. */
  readonly isEnough?: (matching: readonly StoredAgent[], last: StoredAgent) => boolean
}

/** The agents that match, in an order of the store, as far as they count. */
async function walkAgents(
  context: Erc8004Context,
  { condition, isDescending, first, skip }: ListArguments,
  { order, hasFeedback, isEnough }: AgentWalk,
): Promise<readonly StoredAgent[]> {
  const { budget } = context
  const arms = await planArms(context, listAlternatives(condition), order, hasFeedback ?? null)
  const expected = isEnough === undefined ? null : skip + first
  const range = { order: isDescending ? 'newestFirst' : 'oldestFirst', after: null, expected } as const
  const isMatch = createMatcher(condition, agentValue, budget.compare)
  const matching: StoredAgent[] = []
  for await (const batch of walkArms(arms, range, budget, sizeOfAgent)) {
    matching.push(...(await budget.filter(batch, isMatch)))
    const last = batch.at(-1)
    if (last !== undefined && isEnough?.(matching, last) === true) break
  }
  return matching
}

/** Whether a condition leaves all agents of the chain to be read, but for those without a file or feedback. */
function isOfWholeChain(context: Erc8004Context, { condition }: ListArguments): boolean {
  return listAlternatives(condition).every(
    ({ tests }) =>
      boundsOf(tests, ['id']).values === null &&
      filtersOf(context, tests, 'registered', null).every(({ owner }) => owner === null),
  )
}

/**
 * Agents among which the first ones of an order stand, where not all of the chain have to be read for them; null for any
 * other order.
 */
async function findFirst(
  context: Erc8004Context,
  list: ListArguments,
  enough: number,
): Promise<readonly StoredAgent[] | null> {
  const { orderBy, isDescending, condition } = list
  if (orderBy === 'id' || orderBy === 'agentId') return await findByNumber(context, list, orderBy, enough)
  if (!isDescending) return null
  if (orderBy === 'totalFeedback' || orderBy === 'lastActivity') {
    // Agents without feedback have none to be counted, and were last active when they changed.
    const order = orderBy === 'totalFeedback' ? 'registered' : 'updated'
    const others = await walkAgents(context, list, { order, isEnough: isLongAs(enough) })
    const reviewed = await walkAgents(context, list, { order: 'registered', hasFeedback: true })
    const each = new Map(
      [...others, ...reviewed].map((agent) => [agent.key.subject, placed(agent, 'registered')]),
    )
    return [...each.values()].sort((a, b) => comparePlaces(b.place, a.place))
  }
  const hasFiles = listAlternatives(condition).every(({ tests }) => tests.some(needsFile))
  if (orderBy !== 'registrationFile.createdAt' || !hasFiles) return null
  // No file is newer than the newest change of its agent.
  return await walkAgents(context, list, {
    order: 'updated',
    isEnough: (matching, last) => {
      const times = matching.map(({ uriTimestamp }) => uriTimestamp).sort((a, b) => b - a)
      return (times[enough - 1] ?? -1) > last.updatedTimestamp
    },
  })
}

/** The first matching agents by their numbers, where the chain has all numbers up to the greatest; null otherwise. */
async function findByNumber(
  context: Erc8004Context,
  { condition, isDescending }: ListArguments,
  orderBy: 'id' | 'agentId',
  enough: number,
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

/** The agents with a file that match a condition on their files, which the fields of the order are of. */
export function listFiles(context: Erc8004Context, list: ListArguments): Promise<readonly StoredAgent[]> {
  const hasAFile: FieldCondition = {
    kind: 'field',
    field: 'registrationFile',
    test: { kind: 'gt', value: nullValue, folds: false },
  }
  const orderBy = list.orderBy === 'agentId' ? 'id' : `registrationFile.${list.orderBy}`
  const condition = { kind: 'all', of: [hasAFile, list.condition] } as const
  return listAgents(context, { ...list, condition, orderBy })
}

/** The lists whose rows together hold every agent that matches. */
async function planArms(
  context: Erc8004Context,
  alternatives: ReturnType<typeof listAlternatives>,
  order: AgentFilter['order'],
  hasFeedback: true | null,
): Promise<readonly ReadArm<StoredAgent>[]> {
  const subjects = new Set<LocalId>()
  const filters = new Map<string, AgentFilter>()
  for (const { tests } of alternatives) {
    const ids = boundsOf(tests, ['id']).values
    if (ids !== null) {
      for (const id of ids) {
        const subject = subjectOfId(context, String(id))
        if (subject !== null) subjects.add(subject)
      }
      continue
    }
    for (const filter of filtersOf(context, tests, order, hasFeedback))
      filters.set(JSON.stringify(filter), filter)
  }
  const arms = [...filters.values()].map(
    (filter): ReadArm<StoredAgent> =>
      (direction, after, limit) =>
        context.reader.sliceAgents({ filter, order: direction, after, limit }),
  )
  const found = (await loadAll(context.agents, [...subjects])).flatMap((agent) =>
    agent === null ? [] : [placed(agent, order)],
  )
  return found.length > 0 ? [...arms, readSorted(found)] : arms
}

/** An agent with its place in the order. */
function placed(agent: StoredAgent, order: AgentFilter['order']): StoredAgent {
  const timestamp = order === 'updated' ? agent.updatedTimestamp : agent.registeredTimestamp
  return { ...agent, place: { ...agent.place, timestamp } }
}

/** Most owners that are looked up one by one. */
const ownersMax = 100

function filtersOf(
  { chain, content }: Erc8004Context,
  tests: readonly FieldCondition[],
  order: AgentFilter['order'],
  hasFeedback: true | null,
): readonly AgentFilter[] {
  const filter: AgentFilter = {
    owner: null,
    chainId: chain.chainId,
    active: null,
    hasFeedback: hasFeedback ?? (tests.some(needsFeedback) ? true : null),
    folded: null,
    // The index knows of no file that content holds.
    hasFile: content === null && tests.some(needsFile) ? true : null,
    order,
  }
  const owners = boundsOf(tests, ['owner']).values
  if (owners === null || owners.size > ownersMax) return [filter]
  return [...owners].flatMap((text) => {
    const owner = parseAddress(String(text))
    return owner === null ? [] : [{ ...filter, owner }]
  })
}

/** Whether no agent without feedback passes a test. */
function needsFeedback({ field, test }: FieldCondition): boolean {
  return field === 'totalFeedback' && !passes(0, test)
}

/** Whether no agent without a file passes a test. */
function needsFile({ field, test }: FieldCondition): boolean {
  return field.startsWith('registrationFile') && !passes(nullValue, test)
}

/** The agent whose file has an id; null where there is none. */
export async function findFile(context: Erc8004Context, id: string): Promise<StoredAgent | null> {
  const test = { kind: 'in', values: new Set([id]), folds: false } as const
  const condition = { kind: 'field', field: 'id', test } as const
  const renamed = { ...condition, field: 'registrationFile.id' }
  const list = { condition: renamed, orderBy: 'createdAt', isDescending: true, first: 1, skip: 0 }
  const [found] = (await listAgents(context, list)).filter(hasFile)
  return found ?? null
}
