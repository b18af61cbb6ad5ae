import { readChoice, readPage, readText } from '../../format/readSearch.ts'

/** The parameters of the page of an agent, beside its id. */
export interface AgentSearch {
  /** Feedback by default. */
  readonly tab?: 'responses' | 'validations' | 'history' | undefined
  /** The policy that clients have to pass for their feedback to count. */
  readonly by?: string | undefined
  /** The first tag of the listed feedback. */
  readonly tag?: string | undefined
  readonly page?: number | undefined
}

export function readAgentSearch(raw: Readonly<Record<string, unknown>>): AgentSearch {
  return {
    tab: readChoice(raw, 'tab', ['responses', 'validations', 'history']),
    by: readText(raw, 'by'),
    tag: readText(raw, 'tag'),
    page: readPage(raw),
  }
}
