import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { everyAttestation, type PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { AttestationFields, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import type { View } from '../../pipeline/asOf/openView.ts'
import { asOfParameter, refuseBeside } from '../../pipeline/asOf/parseAsOf.ts'
import type { EndpointAnswer } from '../../pipeline/endpoint.ts'
import { answerListing, noRows, type ListingReads } from '../../records/answerListing.ts'
import {
  attestationFilterOf,
  attestationFilterParameters,
  followsClock,
  followsContent,
  isUnknown,
} from '../../pipeline/parameters/attestationFilterParameters.ts'
import { choiceParameter } from '../../pipeline/parameters/choiceParameter.ts'
import {
  cursorParameter,
  keywordParameter,
  pageOrCursorParameter,
  sizeParameter,
} from '../../pipeline/parameters/listingParameters.ts'
import type { ParameterValues } from '../../pipeline/parameters/parameter.ts'
import { firstSet, readPlace } from '../../pipeline/parameters/readPlace.ts'
import {
  attestationInclude,
  includedFollowsClock,
  presentIncluded,
  readsPayloads,
  shownPayloadBytesMax,
} from '../../records/include.ts'
import { presentDetailedRow, presentRow } from '../../records/presentAttestation.ts'
import { emptyPage, presentPage } from '../../records/presentList.ts'
import {
  attestationRow,
  detailedAttestationRow,
  pageOf,
  stepOf,
  type Shown,
} from '../../records/payloadSchemas.ts'
import { offchainList } from '../../records/offchainSchemas.ts'
import { jsonText } from '../../pipeline/answers/writeJson.ts'

export const attestationList = Type.Union([
  pageOf(attestationRow),
  pageOf(detailedAttestationRow),
  stepOf(attestationRow),
  stepOf(detailedAttestationRow),
  ...offchainList.anyOf,
])

export const attestationListingParameters = {
  ...attestationFilterParameters,
  fields: choiceParameter({
    name: 'fields',
    description: '`detail`: each row carries a summary of its schema.',
    choices: ['detail'],
  }),
  include: attestationInclude({}),
  mode: choiceParameter({
    name: 'mode',
    description:
      'Which records: those of chains (`onchain`, the default), or those of the store of off-chain attestations.',
    choices: ['onchain', 'offchain'],
  }),
  page: pageOrCursorParameter,
  cursor: cursorParameter,
  size: sizeParameter,
  asOf: asOfParameter,
  keyword: keywordParameter(
    'Only attestations that it finds: an attestation id, a transaction hash, the address of an attester or ' +
      'recipient, or exactly an indexing value or a recipient that is no address. Combines with `schemaId`, with no other filter.',
  ),
} as const

type Rows = readonly Shown<typeof attestationRow>[]

type Answer = EndpointAnswer<Shown<typeof attestationList>>

type Values = ParameterValues<typeof attestationListingParameters>

/** The filters beyond the published interface, by their parameters. */
const furtherFilters = Object.keys(attestationFilterParameters).filter(
  (name) => name !== 'schemaId',
) as readonly (keyof typeof attestationFilterParameters)[]

/** The answer of the listing of attestations (docs/api.md, "Paths" and "Filters"). */
export async function answerAttestationListing(
  context: ApiContext,
  reader: PastReader,
  values: Values,
  url: string,
  view: View,
): Promise<Answer> {
  const { schemaId, keyword, include, mode, size, asOf } = values
  refuseBeside(asOf, 'keyword', keyword)
  refuseBeside(asOf, 'mode', mode === 'onchain' ? null : mode)
  const narrowedBy = firstSet(values, furtherFilters)
  const place = readPlace(values, narrowedBy && attestationFilterParameters[narrowedBy].name)
  if (mode === 'offchain') {
    if (keyword !== null) {
      throw new BadParameterError('keyword does not find off-chain records; leave it out, or mode.')
    }
    return await context.offchainRecords.list(reader, { values, place, url })
  }
  if (place.kind === 'page' && narrowedBy === null && include.size === 0) {
    const page = { page: place.page, size }
    if (isUnknown(schemaId)) return { data: emptyPage(page) }
    return await answerPublished(reader, schemaId?.value ?? null, values, page)
  }
  const filter = await context.checkFields(attestationFilterOf(values, view.now))
  const isOfContent = includedFollowsClock(include, context.includes) || followsContent(context, values)
  const listing = filter && (keyword === null ? { filter } : { keyword, schema: filter.schema })
  const read = fieldsOf(values)
  const reads: ListingReads<StoredAttestation> = {
    page: async (request) =>
      listing === null ? noRows : await reader.listAttestations(listing, request, read),
    slice: (after, limit) =>
      filter && reader.sliceAttestations({ filter, order: 'newestFirst', after, limit }, read),
  }
  const present = values.fields === 'detail' ? presentDetailedRow : presentRow
  const answer = await answerListing({ place, size, url }, reads, (rows) =>
    presentIncluded(rows, include, context, present),
  )
  return { ...answer, followsClock: isOfContent || (asOf === null && followsClock(values)) }
}

/** The listing of the published interface. */
async function answerPublished(
  reader: PastReader,
  schema: RecordKey | null,
  { keyword, fields }: Values,
  page: PageRequest,
): Promise<Answer> {
  if (keyword === null && fields === null) {
    const { total, rowsJson } = await reader.listAttestationSummaries(schema, page)
    return { data: { total, rows: jsonText<Rows>(rowsJson), ...page } }
  }
  const listing = keyword === null ? { filter: { ...everyAttestation, schema } } : { keyword, schema }
  const found = await reader.listAttestations(listing, page, { detail: false, schema: fields !== null })
  return {
    data:
      fields === null ? presentPage(found, page, presentRow) : presentPage(found, page, presentDetailedRow),
  }
}

function fieldsOf({ fields, include }: Values): AttestationFields {
  const reads = readsPayloads(include)
  return { detail: reads, schema: reads || fields === 'detail', payloadBytesMax: shownPayloadBytesMax }
}
