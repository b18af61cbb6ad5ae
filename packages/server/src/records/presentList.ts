import type { PageRequest } from '@attestry/core/index/indexQueries.ts'

/** Payloads that hold rows. */

/** A page (docs/api.md, "Paging"). */
export function presentPage<Row, Shown>(
  { total, rows }: { readonly total: number; readonly rows: readonly Row[] },
  { page, size }: PageRequest,
  presentRow: (row: Row) => Shown,
) {
  return { total, rows: rows.map((row) => presentRow(row)), page, size }
}

/** A page of a listing that nothing can be in. */
export function emptyPage({ page, size }: PageRequest) {
  return { total: 0, rows: [], page, size }
}
