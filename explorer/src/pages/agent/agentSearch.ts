import { readChoice, readPage } from '../../format/readSearch.ts'

/** The parameters of the page of an agent, beside its id. */
export interface AgentSearch {
  /** Feedback by default. */
  readonly tab?: 'responses' | 'validations' | 'history' | undefined
  readonly page?: number | undefined
}

export function readAgentSearch(raw: Readonly<Record<string, unknown>>): AgentSearch {
  return { tab: readChoice(raw, 'tab', ['responses', 'validations', 'history']), page: readPage(raw) }
}
