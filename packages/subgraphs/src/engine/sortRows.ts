import type { FieldValue } from './condition.ts'

/** One key of an order; of a related row the field is `<relation>.<field>`. */
export interface OrderKey {
  readonly field: string
  readonly isDescending: boolean
}

/** Rows by the keys of an order; a stable sort. Texts are ordered by their code units. */
export function sortRows<Row>(
  rows: readonly Row[],
  orderBy: readonly OrderKey[],
  valueOf: (row: Row, field: string) => FieldValue | null,
): Row[] {
  const keyed = rows.map((row) => ({ row, values: orderBy.map(({ field }) => valueOf(row, field)) }))
  keyed.sort((a, b) => {
    for (const [index, { isDescending }] of orderBy.entries()) {
      const difference = compareValues(a.values[index] ?? null, b.values[index] ?? null)
      if (difference !== 0) return isDescending ? -difference : difference
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

/** Collects rows and keeps the first `enough` of their order, so that a page of a long list holds few rows in memory. */
export function createSorter<Row>(
  orderBy: readonly OrderKey[],
  valueOf: (row: Row, field: string) => FieldValue | null,
  enough: number,
) {
  const kept: Row[] = []
  const sorted = () => sortRows(kept, orderBy, valueOf).slice(0, enough)
  return {
    add(rows: readonly Row[]): void {
      kept.push(...rows)
      if (kept.length > 2 * enough + rowsUnsorted) kept.splice(0, kept.length, ...sorted())
    },
    sorted,
  }
}

/** Rows beyond those of a page that are not worth a sort. */
const rowsUnsorted = 2_000

/** null comes last, as in PostgreSQL; the empty text for null comes before numbers and booleans, as before texts. */
function compareValues(a: FieldValue | null, b: FieldValue | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
  return a < b ? -1 : 1
}
