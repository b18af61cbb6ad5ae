import { parseAddress } from '../../model/hex.ts'
import type { LocalId } from '../../model/compositeId.ts'
import type { AgentFilter, StoredAgent } from '../../store/agentQueries.ts'
import { boundsOf, listAlternatives } from '../protocolGraphql/alternatives.ts'
import type { FieldCondition } from '../protocolGraphql/condition.ts'
import { createMatcher, passes } from '../protocolGraphql/matchCondition.ts'
import { readSorted, walkArms, type ReadArm } from '../protocolGraphql/walkArms.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import { agentValue, hasFile, sizeOfAgent } from './agentRows.ts'
import { subjectOfId } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import type { ListArguments } from '../protocolGraphql/listArguments.ts'
import { nullValue } from './readWhere.ts'

/** The orders in which the store walks agents, by the field of the order. */
const walks: Readonly<Record<string, AgentFilter['order']>> = {
  createdAt: 'registered',
  updatedAt: 'updated',
}

/** The agents of a list. Rows that the order leaves equal stand by their place on the chain. */
export async function listAgents(
  context: Erc8004Context,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly StoredAgent[]> {
  const { budget } = context
  const walked = walks[orderBy]
  const arms = await planArms(context, listAlternatives(condition), walked ?? 'registered')
  const order = isDescending ? 'newestFirst' : 'oldestFirst'
  const expected = walked === undefined ? null : skip + first
  const isMatch = createMatcher(condition, agentValue, budget.compare)
  const matching: StoredAgent[] = []
  for await (const batch of walkArms(arms, { order, after: null, expected }, budget, sizeOfAgent)) {
    matching.push(...batch.filter(isMatch))
    if (expected !== null && matching.length >= expected) break
  }
  const sorted =
    walked === undefined ? sortRows(matching, [{ field: orderBy, isDescending }], agentValue) : matching
  return sorted.slice(skip, skip + first)
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
    for (const filter of filtersOf(context, tests, order)) filters.set(JSON.stringify(filter), filter)
  }
  const arms = [...filters.values()].map(
    (filter): ReadArm<StoredAgent> =>
      (direction, after, limit) =>
        context.reader.sliceAgents({ filter, order: direction, after, limit }),
  )
  const found = (await context.agents.loadMany([...subjects])).flatMap((agent) => {
    if (agent instanceof Error) throw agent
    return agent === null ? [] : [placed(agent, order)]
  })
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
): readonly AgentFilter[] {
  const filter: AgentFilter = {
    owner: null,
    chainId: chain.chainId,
    active: null,
    hasFeedback: null,
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
