import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ParquetColumn, ParquetRow } from './parquetColumns.ts'

/** A row, and the characters of its text: what it takes in memory. */
export interface SizedRow {
  readonly row: ParquetRow
  readonly length: number
}

export interface ParquetOptions {
  readonly columns: readonly ParquetColumn[]
  readonly metadata: Readonly<Record<string, string>>
  /** The program that the file names as its author. */
  readonly author: string
  readonly group: GroupBounds
  /** Smaller, and made in less time, than what each reader of Parquet knows: SNAPPY, the default. */
  readonly codec?: 'ZSTD'
}

/**
 * Bounds of one group of rows, in rows and characters of their text. Readers load a group at a time. The writer holds a
 * group in memory, and encodes it without a pause.
 */
export interface GroupBounds {
  readonly rowsMax: number
  readonly lengthMax: number
}

/** A Parquet file that grows by rows. */
export interface ParquetFile {
  /** A group of rows, where this row completes one. */
  add(row: ParquetRow, length: number): Uint8Array | null
  /** The last group and the index at the end of the file. */
  end(): readonly Uint8Array[]
}

export function createParquetFile({
  columns,
  metadata,
  author,
  group: { rowsMax, lengthMax },
  codec,
}: ParquetOptions): ParquetFile {
  const bytes = new ByteWriter()
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(({ elements }) => elements)],
    createdBy: author,
    codec: codec ?? 'SNAPPY',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  })
  // Values by column: the rows themselves are garbage at once.
  let group = columns.map(({ name, valueOf }) => ({
    name,
    valueOf,
    data: [] as unknown[],
    offsetIndex: false,
  }))
  let count = 0
  let length = 0
  const takeGroup = (): Uint8Array => {
    void parquet.write({ columnData: group, rowGroupSize: count })
    group = group.map((column) => ({ ...column, data: [] }))
    count = 0
    length = 0
    return take(bytes)
  }
  return {
    add: (row, rowLength) => {
      for (const { data, valueOf } of group) data.push(valueOf(row))
      count += 1
      length += rowLength
      return count >= rowsMax || length >= lengthMax ? takeGroup() : null
    },
    end: () => {
      const last = count > 0 ? [takeGroup()] : []
      void parquet.finish()
      return [...last, take(bytes)]
    },
  }
}

/** A Parquet file of the rows, a piece for each group and one for the index at its end. */
export async function* parquetPieces(
  rows: AsyncIterable<SizedRow>,
  options: ParquetOptions,
): AsyncGenerator<Uint8Array> {
  const file = createParquetFile(options)
  for await (const { row, length } of rows) {
    const piece = file.add(row, length)
    if (piece !== null) yield piece
  }
  yield* file.end()
}

/** The bytes that were written since they were taken last. Offsets in the file go on counting. */
function take(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice()
  bytes.index = 0
  return taken
}
