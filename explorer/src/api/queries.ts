import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client.ts'
import { schemaDetailsDocument, type SchemaDetails } from './documents.ts'
import { requestGraphql } from './graphql.ts'
import { partsOfOldestPage } from './oldestPage.ts'
import type { operations } from './openapi.d.ts'
import type { AttestationRow } from './types.ts'

/** What each question is asked by and kept as. Pages use these alone, so that equal questions share an answer. */

/** How often the state of the chains is asked for. */
const chainsIntervalMs = 15_000

export type AttestationQuery = NonNullable<operations['getScanAttestations']['parameters']['query']>
export type SchemaQuery = NonNullable<operations['getScanSchemas']['parameters']['query']>
export type AddressAttestationQuery = NonNullable<
  operations['getScanAddressesByAddressAttestations']['parameters']['query']
>

export const chainsQuery = () =>
  queryOptions({
    queryKey: ['chains'],
    queryFn: ({ signal }) => unwrap(api.GET('/scan/chains', { signal })),
    select: ({ rows }) => rows,
    refetchInterval: chainsIntervalMs,
  })

export const statsQuery = () =>
  queryOptions({ queryKey: ['stats'], queryFn: ({ signal }) => unwrap(api.GET('/scan/stats', { signal })) })

export const latestAttestationsQuery = () =>
  queryOptions({
    queryKey: ['attestations', 'latest'],
    queryFn: ({ signal }) => unwrap(api.GET('/scan/latest-attestations', { signal })),
    select: ({ rows }) => rows,
  })

export const topSchemasQuery = () =>
  queryOptions({
    queryKey: ['schemas', 'top'],
    queryFn: ({ signal }) => unwrap(api.GET('/scan/top-schemas', { signal })),
    select: ({ rows }) => rows,
  })

export const trendingSchemasQuery = () =>
  queryOptions({
    queryKey: ['schemas', 'trending'],
    queryFn: ({ signal }) => unwrap(api.GET('/scan/trending-schemas', { signal })),
    select: ({ rows }) => rows,
  })

export const searchQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['search', keyword],
    queryFn: ({ signal }) => unwrap(api.GET('/scan/search', { params: { query: { keyword } }, signal })),
    select: ({ queryResult }) => queryResult,
    placeholderData: keepPreviousData,
  })

export const schemasQuery = (query: SchemaQuery) =>
  queryOptions({
    queryKey: ['schemas', 'list', query],
    queryFn: async ({ signal }) =>
      asPage(await unwrap(api.GET('/scan/schemas', { params: { query }, signal }))),
    placeholderData: keepPreviousData,
  })

/** A page of schemas counted from the oldest, which the interface lists last. */
export const oldestSchemasQuery = (query: SchemaQuery & { readonly page: number; readonly size: number }) =>
  queryOptions({
    queryKey: ['schemas', 'oldest', query],
    queryFn: async ({ signal }) => {
      const ask = async (page: number, size: number) =>
        asPage(
          await unwrap(api.GET('/scan/schemas', { params: { query: { ...query, page, size } }, signal })),
        )
      const { total } = await ask(1, 1)
      const parts = partsOfOldestPage(query.page, query.size, total)
      const pages = await Promise.all(
        parts.map(async ({ page, from, to }) => (await ask(page, query.size)).rows.slice(from, to)),
      )
      return { total, page: query.page, size: query.size, rows: pages.flat().toReversed() }
    },
    placeholderData: keepPreviousData,
  })

/** Schemas by their ids, in the order of the ids; null for one that is not indexed. */
export const schemasByIdsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['schemas', 'byIds', ids],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/scan/schemas/by-ids', { params: { query: { ids: ids.join(',') } }, signal })),
    select: ({ rows }) => rows,
    enabled: ids.length > 0,
  })

export const schemaQuery = (id: string) =>
  queryOptions({
    queryKey: ['schema', id],
    queryFn: ({ signal }) => unwrap(api.GET('/scan/schemas/{id}', { params: { path: { id } }, signal })),
  })

/** What the interface tells of a schema by GraphQL alone. */
export const schemaDetailsQuery = (id: string) =>
  queryOptions({
    queryKey: ['schema', id, 'details'],
    queryFn: ({ signal }) => requestGraphql<SchemaDetails>(schemaDetailsDocument, { id }, signal),
    select: ({ schema }) => schema,
  })

export const schemaActivityQuery = (id: string) =>
  queryOptions({
    queryKey: ['schema', id, 'activity'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/scan/schemas/{id}/activity', { params: { path: { id } }, signal })),
    select: ({ rows }) => rows,
  })

/** A page of attestations, each with the name of its schema. */
export const attestationsQuery = (query: AttestationQuery) =>
  queryOptions({
    queryKey: ['attestations', 'list', query],
    queryFn: async ({ signal }) => {
      const page = asPage(
        await unwrap(
          api.GET('/scan/attestations', { params: { query: { ...query, fields: 'detail' } }, signal }),
        ),
      )
      // The document leaves open which rows are answered; with \`fields=detail\` it is those with a schema.
      return { ...page, rows: page.rows as AttestationRow[] }
    },
    placeholderData: keepPreviousData,
  })

/** Attestations by their ids, whole, in the order of the ids; null for one that is not indexed. At most 100. */
export const attestationsByIdsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['attestations', 'byIds', ids],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/scan/attestations/by-ids', { params: { query: { ids: ids.join(',') } }, signal })),
    select: ({ rows }) => rows,
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })

/** The same with their payloads decoded. */
export const decodedAttestationsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['attestations', 'decoded', ids],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/scan/attestations/by-ids', {
          params: { query: { ids: ids.join(','), include: 'decoded' } },
          signal,
        }),
      ),
    select: ({ rows }) => rows,
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })

/** An attestation with its payload decoded. */
export const attestationQuery = (id: string) =>
  queryOptions({
    queryKey: ['attestation', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/scan/attestations/{id}', {
          params: { path: { id }, query: { include: 'decoded' } },
          signal,
        }),
      ),
  })

export const addressStatisticsQuery = (address: string) =>
  queryOptions({
    queryKey: ['address', address, 'statistics'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/scan/addresses/{address}/statistics', { params: { path: { address } }, signal })),
  })

export const addressActivityQuery = (address: string) =>
  queryOptions({
    queryKey: ['address', address, 'activity'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/scan/addresses/{address}/activity', { params: { path: { address } }, signal })),
    select: ({ rows }) => rows,
  })

export const addressAttestationsQuery = (address: string, query: AddressAttestationQuery) =>
  queryOptions({
    queryKey: ['address', address, 'attestations', query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/scan/addresses/{address}/attestations', { params: { path: { address }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  })

/** A listing that was asked for by page is answered by page; the document allows steps of a walk too. */
function asPage<Data extends object>(data: Data): Extract<Data, { total: number }> {
  if (!('total' in data)) throw new TypeError('a page was asked for, and something else was answered')
  return data as Extract<Data, { total: number }>
}
