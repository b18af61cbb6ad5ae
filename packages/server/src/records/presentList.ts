import type { PageRequest } from '@attestry/core/index/indexQueries.ts'

/** Payloads that hold rows. Rows come as JSON text, each or all together, and leave as JSON text. */

/** A list without pages: top, trending, latest. */
export function presentRows<Row>(rows: readonly Row[], presentRow: (row: Row) => string): string {
  return `{"rows":${joinRows(rows, presentRow)}}`
}

/** A page (docs/api.md, "Paging"). */
export function presentPage<Row>(
  page: { readonly total: number; readonly rows: readonly Row[] },
  request: PageRequest,
  presentRow: (row: Row) => string,
): string {
  return presentPageOfJson(page.total, joinRows(page.rows, presentRow), request)
}

/** A page whose rows are the text of a JSON array already. */
export function presentPageOfJson(total: number, rowsJson: string, { page, size }: PageRequest): string {
  return `{"total":${total},"rows":${rowsJson},"page":${page},"size":${size}}`
}

/** A step of a walk by cursor, and the cursor of the next; null at the end. A cursor needs no escaping. */
export function presentStepOfJson(rowsJson: string, size: number, nextCursor: string | null): string {
  return `{"rows":${rowsJson},"size":${size},"nextCursor":${nextCursor === null ? 'null' : `"${nextCursor}"`}}`
}

/** The text of a JSON array of rows. Long texts are not copied here, as `join` would. */
export function joinRows<Row>(rows: readonly Row[], presentRow: (row: Row) => string): string {
  let text = '['
  for (const row of rows) text += (text.length > 1 ? ',' : '') + presentRow(row)
  return `${text}]`
}
