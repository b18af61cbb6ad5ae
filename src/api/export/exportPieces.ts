import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RowPlace, Slice } from '../../store/indexQueries.ts'

/** Rows read at once: some hundred kilobytes of text, and a few milliseconds of the event loop. */
const rowsPerSlice = 250

/** A list that is exported: how it is read, from the oldest row on. */
export interface ExportSource<Row> {
  slice(after: RowPlace | null, limit: number): Promise<Slice<Row>>
  formatRow(row: Row): string
}

/**
 * The rows of a list as pieces of text, a piece a slice. Each slice begins behind the last row of the one before, wherever rows
 * have come and gone meanwhile: no row is told of twice, and none left out that stood there all the time.
 */
export async function* exportPieces<Row>({ slice, formatRow }: ExportSource<Row>): AsyncGenerator<string> {
  let after: RowPlace | null = null
  for (;;) {
    const { rows, hasMore, scannedTo }: Slice<Row> = await slice(after, rowsPerSlice)
    let piece = ''
    for (const row of rows) piece += formatRow(row)
    if (piece !== '') yield piece
    if (!hasMore) return
    const next: RowPlace | null = scannedTo ?? rows.at(-1)?.place ?? null
    if (next === null) throw new Error('the store has more rows, but does not say where')
    after = next
    await nextTurn()
  }
}
