import type { AgentQuery } from '../../api/queries.ts'
import { readChoice, readPage, readPageSize, readText } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'

/** The filters of the list of agents, by the interface's names; undefined members do not filter. */
export interface AgentsSearch {
  readonly keyword?: string | undefined
  readonly chainId?: string | undefined
  readonly owner?: string | undefined
  readonly active?: 'true' | 'false' | undefined
  readonly hasFeedback?: 'true' | 'false' | undefined
  /** The exact name of a service, such as MCP. */
  readonly service?: string | undefined
  /** Exactly a skill, a domain or a model of trust. */
  readonly capability?: string | undefined
  /** The newest registrations first by default. */
  readonly order?: 'updated' | 'feedback' | undefined
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readAgentsSearch(raw: Readonly<Record<string, unknown>>): AgentsSearch {
  return {
    keyword: readText(raw, 'keyword'),
    chainId: readText(raw, 'chainId'),
    owner: readText(raw, 'owner'),
    active: readChoice(raw, 'active', ['true', 'false']),
    hasFeedback: readChoice(raw, 'hasFeedback', ['true', 'false']),
    service: readText(raw, 'service'),
    capability: readText(raw, 'capability'),
    order: readChoice(raw, 'order', ['updated', 'feedback']),
    page: readPage(raw),
    size: readPageSize(raw),
  }
}

/** The filters as parameters of the interface. */
export function agentQueryOf(search: AgentsSearch): Omit<AgentQuery, 'page' | 'size' | 'cursor'> {
  const { keyword, chainId, owner, active, hasFeedback, service, capability } = search
  return withoutAbsent({
    keyword,
    chainId,
    owner,
    service,
    capability,
    active: active === undefined ? undefined : active === 'true',
    hasFeedback: hasFeedback === undefined ? undefined : hasFeedback === 'true',
  })
}
