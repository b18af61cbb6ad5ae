import { readPage, readPageSize } from '../../format/readSearch.ts'

/** The parameters of the page of a schema, beside its id; undefined members are the defaults. */
export interface SchemaSearch {
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readSchemaSearch(raw: Readonly<Record<string, unknown>>): SchemaSearch {
  return { page: readPage(raw), size: readPageSize(raw) }
}
