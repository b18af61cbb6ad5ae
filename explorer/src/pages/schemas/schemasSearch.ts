import { readChoice, readPage, readPageSize, readText } from '../../format/readSearch.ts'

/** What the list of schemas is filtered by, as the interface names it; undefined members narrow nothing. */
export interface SchemasSearch {
  readonly keyword?: string | undefined
  readonly chainId?: string | undefined
  readonly protocol?: string | undefined
  readonly revocable?: 'true' | 'false' | undefined
  readonly registrant?: string | undefined
  readonly resolver?: string | undefined
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readSchemasSearch(raw: Readonly<Record<string, unknown>>): SchemasSearch {
  return {
    keyword: readText(raw, 'keyword'),
    chainId: readText(raw, 'chainId'),
    protocol: readText(raw, 'protocol'),
    revocable: readChoice(raw, 'revocable', ['true', 'false']),
    registrant: readText(raw, 'registrant'),
    resolver: readText(raw, 'resolver'),
    page: readPage(raw),
    size: readPageSize(raw),
  }
}
