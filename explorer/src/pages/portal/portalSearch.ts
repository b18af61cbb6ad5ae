import { readPage, readText } from '../../format/readSearch.ts'

/** The parameters of the page of a portal, beside its address. */
export interface PortalSearch {
  readonly chainId?: string | undefined
  readonly page?: number | undefined
}

export function readPortalSearch(raw: Readonly<Record<string, unknown>>): PortalSearch {
  return { chainId: readText(raw, 'chainId'), page: readPage(raw) }
}
