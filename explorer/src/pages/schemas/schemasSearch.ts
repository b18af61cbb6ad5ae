import type { SchemaQuery } from '../../api/queries.ts'
import { readChoice, readPage, readPageSize, readText } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'

/** Order and filters of the list of schemas, by the interface's names; undefined members are the defaults. */
export interface SchemasSearch {
  /** `top` and `trending` are the interface's own lists of ten, without filters or pages. */
  readonly order?: 'oldest' | 'top' | 'trending' | undefined
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
    order: readChoice(raw, 'order', ['oldest', 'top', 'trending']),
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

/** The filters as parameters of the interface, which combines a keyword with no other filter. */
export function schemaQueryOf(search: SchemasSearch): Omit<SchemaQuery, 'page' | 'size' | 'cursor'> {
  const { keyword, chainId, protocol, revocable, registrant, resolver } = search
  if (keyword !== undefined) return { keyword }
  return withoutAbsent({
    chainId,
    protocol,
    registrant,
    resolver,
    revocable: revocable === undefined ? undefined : revocable === 'true',
  })
}
