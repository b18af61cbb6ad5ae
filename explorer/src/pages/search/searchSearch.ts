import { readText } from '../../format/readSearch.ts'

/** The keyword of the search page; `keyword`, its name in the interface, is also read. */
export interface SearchSearch {
  readonly q?: string | undefined
}

export function readSearchSearch(raw: Readonly<Record<string, unknown>>): SearchSearch {
  return { q: readText(raw, 'q') ?? readText(raw, 'keyword') }
}
