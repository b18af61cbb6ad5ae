import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { ParquetColumn, ParquetRow } from './parquetColumns.ts'

/** A row, and the characters of its text: what it takes in memory. */
export interface SizedRow {
  readonly row: ParquetRow
  readonly length: number
}

export interface ParquetOptions {
  readonly columns: readonly ParquetColumn[]
  readonly metadata: Readonly<Record<string, string>>
  readonly program: string
}

/** Rows of one group, and their text: readers take a group at a time, and so does the memory of the writer. */
const groupRowsMax = 20_000
const groupLengthMax = 16 * 1024 * 1024

/** Writes rows to a file, in the memory of one group. Returns their number. */
export async function writeParquet(
  file: string,
  rows: AsyncIterable<SizedRow>,
  { columns, metadata, program }: ParquetOptions,
): Promise<number> {
  const parquet = new ParquetWriter({
    writer: fileWriter(file),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(({ elements }) => elements)],
    createdBy: `attestry ${program}`,
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  })
  let group: ParquetRow[] = []
  let length = 0
  let count = 0
  const writeGroup = async (): Promise<void> => {
    if (group.length === 0) return
    await parquet.write({
      columnData: columns.map(({ name, valueOf }) => ({
        name,
        data: group.map((row) => valueOf(row)),
        offsetIndex: false,
      })),
      rowGroupSize: group.length,
    })
    count += group.length
    group = []
    length = 0
  }
  for await (const { row, length: rowLength } of rows) {
    group.push(row)
    length += rowLength
    if (group.length >= groupRowsMax || length >= groupLengthMax) await writeGroup()
  }
  await writeGroup()
  await parquet.finish()
  return count
}
