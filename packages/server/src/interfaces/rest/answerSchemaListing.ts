import { Type } from 'typebox'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { asOfParameter, refuseBeside } from '../../pipeline/asOf/parseAsOf.ts'
import type { EndpointAnswer } from '../../pipeline/endpoint.ts'
import { answerListing, noRows, type ListingReads } from '../../records/answerListing.ts'
import {
  cursorParameter,
  keywordParameter,
  pageOrCursorParameter,
  sizeParameter,
} from '../../pipeline/parameters/listingParameters.ts'
import type { ParameterValues } from '../../pipeline/parameters/parameter.ts'
import { firstSet, readPlace } from '../../pipeline/parameters/readPlace.ts'
import { schemaFilterOf, schemaFilterParameters } from '../../pipeline/parameters/schemaFilterParameters.ts'
import { includeProtocolParameter, presentWith } from '../../records/include.ts'
import { pageOf, schemaRow, stepOf, type Shown } from '../../records/payloadSchemas.ts'
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
  const listing = keyword === null ? filter && { filter } : { keyword }
  const reads: ListingReads<StoredSchema> = {
    page: async (request) => (listing === null ? noRows : await reader.listSchemas(listing, request)),
    slice: (after, limit) => filter && reader.sliceSchemas({ filter, order: 'newestFirst', after, limit }),
  }
  const answer = await answerListing({ place, size, url }, reads, (rows) => rows.map(presentRow))
  // The published listing has no links.
  const isPublished = place.kind === 'page' && narrowedBy === null && asOf === null
  return isPublished ? { data: answer.data } : answer
}
