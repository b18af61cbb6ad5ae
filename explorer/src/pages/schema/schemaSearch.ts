import { readPage, readPageSize } from '../../format/readSearch.ts'

/** What the page of a schema is asked by beside its id; undefined members are the defaults. */
export interface SchemaSearch {
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readSchemaSearch(raw: Readonly<Record<string, unknown>>): SchemaSearch {
  return { page: readPage(raw), size: readPageSize(raw) }
}
