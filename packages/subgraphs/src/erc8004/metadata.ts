import { sliceMax } from '@attestry/server/records/slices.ts'
import type { StoredAgentMetadata } from '@attestry/agents/projection/agentQueries.ts'
import { listedValues } from '../engine/alternatives.ts'
import type { Condition } from '../engine/condition.ts'
import { comparedValues, keyField, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { openWhole } from '../engine/rowSource.ts'
import { shortId, subjectOfId } from './agentIds.ts'
import { agentRelation } from './agents.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { field } from './fields.ts'

const fields: GraphNodeEntity<StoredAgentMetadata, Erc8004Context>['fields'] = {
  id: field('ID!', ({ key, name }) => `${shortId(key)}:${name}`),
  agent: keyField(({ key }) => shortId(key)),
  key: field('String!', ({ name }) => name),
  value: field('Bytes!', ({ value }) => value),
  updatedAt: field('BigInt!', ({ updatedTimestamp }) => updatedTimestamp),
}

/** Lists read all metadata of the chain, or of the agents and keys that are asked for. */
export const metadataEntity: GraphNodeEntity<StoredAgentMetadata, Erc8004Context> = {
  name: 'AgentMetadata',
  fields,
  related: { agent: 'Agent' },
  relations: { agent: agentRelation(({ key }) => key.subject) },
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(fields),
  open: async (context, { condition }) => openWhole(await readMetadata(context, condition)),
}

async function readMetadata(
  context: Erc8004Context,
  condition: Condition,
): Promise<readonly StoredAgentMetadata[]> {
  const { reader, chain, budget } = context
  const agents = listedValues(condition, 'agent')
  const keys = listedValues(condition, 'key')
  const subjects = agents && [...agents].flatMap((id) => subjectOfId(context, String(id)) ?? [])
  const filter = { chainId: chain.chainId, subjects, names: keys && [...keys].map(String) }
  const rows: StoredAgentMetadata[] = []
  for (let after = -1; ;) {
    const some = await reader.listAgentMetadata(filter, after, sliceMax)
    await budget.readRows(some, ({ name, value }) => name.length + value.length)
    rows.push(...some)
    const last = some.at(-1)
    if (some.length < sliceMax || last === undefined) return rows
    after = last.place.position
  }
}
