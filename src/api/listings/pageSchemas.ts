import type { IndexQueries, SchemaFilter } from '../../store/indexQueries.ts'
import type { IndexReader, Page, PageRequest, StoredSchema } from '../../store/indexReader.ts'
import { readFilteredPage } from './readFilteredPage.ts'

/**
 * A page of the schemas that pass a filter, newest first. A list that the store keeps (all, of a registrant) has any
 * page at the same cost; `readFilteredPage` documents the cost of the others.
 * @throws BadParameterError, StoreTooMuchWorkError
 */
export async function pageSchemas(
  reader: IndexReader,
  queries: IndexQueries,
  filter: SchemaFilter,
  page: PageRequest,
): Promise<Page<StoredSchema>> {
  const { registrant, ...others } = filter
  if (Object.values(others).every((value) => value === null)) {
    if (registrant === null) return await reader.listSchemas({ keyword: null, ...page })
    return await reader.listSchemasOfRegistrant(registrant, page)
  }
  return await readFilteredPage(
    {
      count: () => queries.countSchemas(filter),
      slice: (request) => queries.sliceSchemas({ ...request, filter }),
    },
    page,
  )
}
