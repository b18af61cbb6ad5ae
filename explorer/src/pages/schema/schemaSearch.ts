import { readFieldFilters, type FieldParameter } from '../../format/fieldFilters.ts'
import { readPage, readPageSize, readText } from '../../format/readSearch.ts'

/** The parameters of the page of a schema, beside its id; undefined members are the defaults. */
export interface SchemaSearch {
  readonly page?: number | undefined
  readonly size?: number | undefined
  /** Of the schema: two protocols may have the same id. */
  readonly protocol?: string | undefined
  /** The field whose filters are open: `field[country]`. */
  readonly by?: string | undefined
  /** Filters of the attestations. */
  readonly [parameter: FieldParameter]: string | undefined
}

export function readSchemaSearch(raw: Readonly<Record<string, unknown>>): SchemaSearch {
  const filters = readFieldFilters(raw).map(({ parameter, value }): [string, string] => [parameter, value])
  return {
    page: readPage(raw),
    size: readPageSize(raw),
    protocol: readText(raw, 'protocol'),
    by: readText(raw, 'by'),
    ...Object.fromEntries(filters),
  }
}
