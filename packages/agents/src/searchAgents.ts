import { parseAgentId } from '@attestry/core/model/agents.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import { everyAgent, type StoredAgent } from './projection/agentQueries.ts'
import type { SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { idOfAgent, readDirectory } from './agentDirectory.ts'
import type { Shown } from '@attestry/server/records/payloadSchemas.ts'
import type { foundAgent } from './agentSchemas.ts'
import { formatAddress } from './presentAgent.ts'

/**
 * The newest agents that a keyword finds, each as `foundAgent` says: the one with an id, those of an owner, or those whose name
 * or description contains a text.
 */
export async function searchAgents(
  reader: IndexReader,
  { text, target }: ClassifiedKeyword,
  limit: number,
): Promise<SearchGroup<Shown<typeof foundAgent>>> {
  const { total, rows } = await findAgents(reader, text, target, limit)
  if (total === 0) return { total, rows: [] }
  const directory = await readDirectory(reader)
  return { total, rows: rows.map((agent) => presentFound(agent, idOfAgent(directory, agent.key))) }
}

async function findAgents(
  reader: IndexReader,
  text: string,
  target: ClassifiedKeyword['target'],
  size: number,
): Promise<SearchGroup<StoredAgent>> {
  const page = { page: 1, size }
  const id = parseAgentId(text)
  if (id !== null) {
    const rows = (await reader.findAgents([id])).filter((agent) => agent !== null)
    return { total: rows.length, rows }
  }
  if (target.kind === 'address')
    return await reader.listAgents({ ...everyAgent, owner: target.address }, page)
  if (target.kind === 'text') return await reader.listAgents({ ...everyAgent, folded: target.folded }, page)
  return { total: 0, rows: [] }
}

function presentFound({ key, profile, owner, feedbackCount }: StoredAgent, id: string) {
  return {
    id,
    chainId: String(key.chainId),
    name: profile.name,
    owner: formatAddress(owner),
    feedbackCount,
  }
}
