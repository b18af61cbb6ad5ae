import { readText } from '../../format/readSearch.ts'

/** The keyword of the search page. */
export interface SearchSearch {
  readonly q?: string | undefined
}

export function readSearchSearch(raw: Readonly<Record<string, unknown>>): SearchSearch {
  return { q: readText(raw, 'q') }
}
