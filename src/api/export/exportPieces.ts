import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Slice } from '../../store/indexQueries.ts'
import type { RowPlace } from '../../store/storedRecords.ts'

/** Rows of the first slice. */
const rowsPerSliceInitial = 100

/** The greatest number of rows that the store returns in one slice. */
const rowsPerSliceMax = 1_000

/**
 * The intended number of characters of a slice: a few milliseconds of the event loop. Rows may have a hundred bytes or
 * a hundred thousand.
 */
const charactersPerSlice = 256 * 1024

/** A piece with this many characters is sent. */
const charactersPerPiece = 64 * 1024

/** A list to export, read from the oldest row on. */
export interface ExportSource<Row> {
  slice(after: RowPlace | null, limit: number): Promise<Slice<Row>>
  formatRow(row: Row): string
}

/**
 * The rows of a list as pieces of text. Each slice begins behind the last row of the previous slice. No row is
 * therefore sent twice, and every row that exists during the whole export is sent, wherever other rows come and go.
 */
export async function* exportPieces<Row>({ slice, formatRow }: ExportSource<Row>): AsyncGenerator<string> {
  let after: RowPlace | null = null
  let limit = rowsPerSliceInitial
  for (;;) {
    const { rows, hasMore, scannedTo }: Slice<Row> = await slice(after, limit)
    let characters = 0
    let piece = ''
    for (const row of rows) {
      piece += formatRow(row)
      if (piece.length < charactersPerPiece) continue
      characters += piece.length
      yield piece
      piece = ''
    }
    characters += piece.length
    if (piece !== '') yield piece
    if (!hasMore) return
    const next: RowPlace | null = scannedTo ?? rows.at(-1)?.place ?? null
    if (next === null) throw new Error('the store has more rows, but does not say where')
    after = next
    limit = nextLimit(rows.length, characters)
    await nextTurn()
  }
}

function nextLimit(rowCount: number, characters: number): number {
  if (rowCount === 0) return rowsPerSliceMax
  const fitting = Math.floor((rowCount * charactersPerSlice) / Math.max(1, characters))
  // Later rows may be larger than earlier ones.
  return Math.max(1, Math.min(fitting, rowCount * 4, rowsPerSliceMax))
}
