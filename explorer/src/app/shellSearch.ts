import { readText } from '../format/readSearch.ts'

/** The parameters of every page. */
export interface ShellSearch {
  /** The moment that records and lists are shown as of. */
  readonly asOf?: string | undefined
}

export function readShellSearch(raw: Readonly<Record<string, unknown>>): ShellSearch {
  return { asOf: readText(raw, 'asOf') }
}
