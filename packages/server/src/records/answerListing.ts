import type { Page, PageRequest, Slice } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { ListingPlace } from '../pipeline/parameters/readPlace.ts'
import { cursorLinks, pageLinks } from './pageLinks.ts'
import { presentPage } from './presentList.ts'
import { nextCursor } from './slices.ts'

/** A listing as a request asks for it. */
export interface AskedListing {
  readonly place: ListingPlace
  readonly size: number
  /** The requested URL, from which links are made. */
  readonly url: string
}

/** The two ways to read a listing. */
export interface ListingReads<Row> {
  page(request: PageRequest): Promise<Page<Row>>
  /** The rows after a place, newest first; null if no row can pass. */
  slice(after: RowPlace | null, limit: number): Promise<Slice<Row> | null> | null
}

/** The answer of a listing: a page with its exact total, or a step of a walk. */
export async function answerListing<Row, Shown>(
  { place, size, url }: AskedListing,
  reads: ListingReads<Row>,
  present: (rows: readonly Row[]) => readonly Shown[] | Promise<readonly Shown[]>,
) {
  if (place.kind === 'cursor') {
    const slice = await reads.slice(place.cursor.place, size)
    const next = slice && nextCursor(slice)
    const rows = await present(slice?.rows ?? [])
    return { data: { rows, size, nextCursor: next }, link: cursorLinks(url, next) }
  }
  const request = { page: place.page, size }
  const { total, rows } = await reads.page(request)
  return { data: { total, rows: await present(rows), ...request }, link: pageLinks(url, request, total) }
}

/** The answer of a listing without a walk. */
export function answerPage<Row, Shown>(
  url: string,
  request: PageRequest,
  found: Page<Row>,
  presentRow: (row: Row) => Shown,
) {
  return { data: presentPage(found, request, presentRow), link: pageLinks(url, request, found.total) }
}

/** The page of a listing that nothing passes. */
export const noRows: Page<never> = { total: 0, rows: [] }

/** The page of a listing that one row passes at most. */
export function pageOfOne<Row>(row: Row | null, { page }: PageRequest): Page<Row> {
  if (row === null) return noRows
  return { total: 1, rows: page === 1 ? [row] : [] }
}
