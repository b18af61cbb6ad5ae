import { Type } from 'typebox'
import type { Page, PageRequest, SchemaFilter, SchemaListing } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { asOfParameter, refuseBeside } from '../../pipeline/asOf/parseAsOf.ts'
import type { EndpointAnswer } from '../../pipeline/endpoint.ts'
import { cursorLinks, pageLinks } from '../../records/pageLinks.ts'
import {
  cursorParameter,
  keywordParameter,
  pageOrCursorParameter,
  sizeParameter,
  type Cursor,
} from '../../pipeline/parameters/listingParameters.ts'
import type { ParameterValues } from '../../pipeline/parameters/parameter.ts'
import { firstSet, readPlace } from '../../pipeline/parameters/readPlace.ts'
import { schemaFilterOf, schemaFilterParameters } from '../../pipeline/parameters/schemaFilterParameters.ts'
import { includeProtocolParameter, presentWith } from '../../records/include.ts'
import { presentPage } from '../../records/presentList.ts'
import { pageOf, schemaRow, stepOf, type Shown } from '../../records/payloadSchemas.ts'
import { nextCursor } from '../../records/slices.ts'
import { presentSchemaRow } from '../../records/presentSchema.ts'

export const schemaList = Type.Union([pageOf(schemaRow), stepOf(schemaRow)])

export const schemaListingParameters = {
  ...schemaFilterParameters,
  page: pageOrCursorParameter,
  cursor: cursorParameter,
  size: sizeParameter,
  keyword: keywordParameter(
    'Only schemas that it finds: part of a name or description, a schema id, a transaction hash, ' +
      'or the address of a registrant or resolver. Does not combine with other filters.',
  ),
  include: includeProtocolParameter,
  asOf: asOfParameter,
} as const

/** The filters by their parameters. */
const filterNames = Object.keys(schemaFilterParameters) as readonly (keyof typeof schemaFilterParameters)[]

/** The answer of the listing of schemas (docs/api.md, "Paths" and "Filters"). */
export async function answerSchemaListing(
  context: Pick<ApiContext, 'names'>,
  reader: PastReader,
  values: ParameterValues<typeof schemaListingParameters>,
  url: string,
): Promise<EndpointAnswer<Shown<typeof schemaList>>> {
  const { keyword, size, asOf } = values
  refuseBeside(asOf, 'keyword', keyword)
  const presentRow = presentWith(values.include, context, presentSchemaRow)
  const narrowedBy = firstSet(values, filterNames)
  const place = readPlace(values, narrowedBy)
  const filter = schemaFilterOf(values)
  if (place.kind === 'cursor') {
    const { rows, next } = await readStep(reader, filter, place.cursor, size)
    return { data: { rows: rows.map(presentRow), size, nextCursor: next }, link: cursorLinks(url, next) }
  }
  const request = { page: place.page, size }
  const found = await readPage(reader, keyword === null ? filter && { filter } : { keyword }, request)
  // The published listing has no links.
  const link = narrowedBy === null && asOf === null ? null : pageLinks(url, request, found.total)
  return { data: presentPage(found, request, presentRow), link }
}

async function readPage(
  reader: PastReader,
  listing: SchemaListing | null,
  page: PageRequest,
): Promise<Page<StoredSchema>> {
  return listing === null ? { total: 0, rows: [] } : await reader.listSchemas(listing, page)
}

async function readStep(
  reader: PastReader,
  filter: SchemaFilter | null,
  cursor: Cursor,
  limit: number,
): Promise<{ readonly rows: readonly StoredSchema[]; readonly next: string | null }> {
  if (filter === null) return { rows: [], next: null }
  const request = { filter, order: 'newestFirst', after: cursor.place, limit } as const
  const slice = await reader.sliceSchemas(request)
  return { rows: slice.rows, next: nextCursor(slice) }
}
