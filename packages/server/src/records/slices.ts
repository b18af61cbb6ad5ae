import { formatRowCursor } from '../pipeline/rowCursor.ts'
import { endOf, type Slice } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'

/** Rows of one read of a list that is read whole. */
export const sliceMax = 1_000

/** The rows of a list from its beginning, `sliceMax` at most in a batch. */
export async function* walkSlices<Row>(
  read: (after: RowPlace | null, limit: number) => Promise<Slice<Row>>,
): AsyncGenerator<Slice<Row>['rows']> {
  let after: RowPlace | null = null
  for (;;) {
    const slice = await read(after, sliceMax)
    yield slice.rows
    after = endOf(slice)
    if (!slice.hasMore || after === null) return
  }
}

/** The cursor of the step after a slice; null after the last one. */
export function nextCursor(slice: Slice<unknown>): string | null {
  const end = slice.hasMore ? endOf(slice) : null
  return end && formatRowCursor(end)
}
