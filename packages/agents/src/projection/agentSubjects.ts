import { agentProtocol } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { addressOfBytes } from '@attestry/store/layout/hexColumn.ts'
import type { ProjectedSubjects } from '@attestry/store/port/projection.ts'

/** Registered agents, and the feedback of each client for each of them. */
export const agentSubjects: ProjectedSubjects = {
  protocol: agentProtocol,
  count: async (reads, chainId) => {
    const counted = await reads.get<[number | null]>(
      'SELECT sum(count) FROM agent_count WHERE chain_id = ?',
      chainId,
    )
    const first = await reads.get<[string]>(
      'SELECT subject FROM agent WHERE chain_id = ? AND id IS NOT NULL ORDER BY subject LIMIT 1',
      chainId,
    )
    return {
      protocol: agentProtocol,
      count: Number(counted?.[0] ?? 0),
      first: first === undefined ? null : (`0x${first[0]}` as LocalId),
    }
  },
  listCounts: async (reads, chainId, from, limit) => {
    const rows = await reads.all<[string, Uint8Array, number]>(
      'SELECT subject, client, count FROM agent_reviewer WHERE chain_id = ? AND subject >= ? ORDER BY subject, client LIMIT ?',
      chainId,
      from.slice(2),
      limit,
    )
    return rows.map(([subject, client, count]) => ({
      subject: `0x${subject}` as LocalId,
      account: addressOfBytes(client),
      count,
    }))
  },
}
