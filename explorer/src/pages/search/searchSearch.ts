import { readText } from '../../format/readSearch.ts'

/** What the search page looks for. */
export interface SearchSearch {
  readonly q?: string | undefined
}

export function readSearchSearch(raw: Readonly<Record<string, unknown>>): SearchSearch {
  return { q: readText(raw, 'q') }
}
