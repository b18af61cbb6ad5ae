import type { Slice } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'

/** Rows that are passed over in one turn of a thread that other reads wait for. */
const stepRowsMax = 2_000

/** One step of a slice: what it reads, and how many rows it may pass over. */
export interface SliceStep {
  readonly after: RowPlace | null
  readonly limit: number
  readonly rowsMax: number
}

/**
 * A slice for which at most `rowsMax` rows are passed over, in steps between which other reads go on.
 * @param turn null: one read keeps no other waiting, and the slice is one step.
 */
export async function readInSteps<Row>(
  { after, limit, rowsMax }: SliceStep,
  turn: (() => Promise<void>) | null,
  readStep: (step: SliceStep) => Promise<Slice<Row>>,
): Promise<Slice<Row>> {
  if (turn === null || rowsMax <= stepRowsMax) return await readStep({ after, limit, rowsMax })
  let left = rowsMax
  let slice = await readStep({ after, limit, rowsMax: stepRowsMax })
  const rows = [...slice.rows]
  for (;;) {
    left -= stepRowsMax
    const { scannedTo } = slice
    if (scannedTo === null || rows.length >= limit || left <= 0) return { ...slice, rows }
    await turn()
    slice = await readStep({
      after: scannedTo,
      limit: limit - rows.length,
      rowsMax: Math.min(left, stepRowsMax),
    })
    rows.push(...slice.rows)
  }
}
