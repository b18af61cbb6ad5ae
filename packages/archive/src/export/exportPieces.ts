import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Slice } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { formatCsvLine } from '@attestry/core/model/formatCsv.ts'

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
}

/** The rows of a list as pieces of text. */
export async function* exportPieces<Row>({
  slice,
  formatRow,
}: ExportSource<Row> & { formatRow(row: Row): string }): AsyncGenerator<string> {
  const lengthOf = (text: string) => text.length
  for await (const texts of exportBatches({ slice, present: formatRow, lengthOf })) yield texts.join('')
}

/** The rows of a list as CSV, with a line of the names of the columns. */
export async function* csvPieces<Row>(
  slice: ExportSource<Row>['slice'],
  columns: readonly string[],
  cellsOf: (row: Row) => readonly unknown[],
): AsyncGenerator<string> {
  let header = formatCsvLine(columns)
  // The names come with the first rows: a read that fails at once leaves nothing sent.
  for await (const piece of exportPieces({ slice, formatRow: (row) => formatCsvLine(cellsOf(row)) })) {
    yield header + piece
    header = ''
  }
  if (header !== '') yield header
}

/**
 * The rows of a list in batches of about `charactersPerPiece`. Each slice begins after the last row of the previous
 * slice. So no row is written twice, and every row that exists during the whole export is written, whatever other rows
 * come and go. Other requests get a turn after each batch.
 */
export async function* exportBatches<Row, Item>({
  slice,
  present,
  lengthOf,
}: ExportSource<Row> & {
  present(row: Row): Item
  /** Characters of an item. */
  lengthOf(item: Item): number
}): AsyncGenerator<readonly Item[]> {
  let after: RowPlace | null = null
  let limit = rowsPerSliceInitial
  for (;;) {
    const { rows, hasMore, scannedTo }: Slice<Row> = await slice(after, limit)
    let characters = 0
    let batch: Item[] = []
    let length = 0
    for (const row of rows) {
      const item = present(row)
      batch.push(item)
      length += lengthOf(item)
      if (length < charactersPerPiece) continue
      characters += length
      yield batch
      batch = []
      length = 0
      await nextTurn()
    }
    characters += length
    if (batch.length > 0) yield batch
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
