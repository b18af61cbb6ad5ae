import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { ParquetColumn } from './icebergColumns.ts'
import type { DataFile } from './manifests.ts'
import type { LakeTable } from './openTable.ts'

/** The format of data files. */
export interface FileFormat<Row> {
  createFile(columns: readonly ParquetColumn<Row>[]): RowFile<Row>
  /** The time of a row in a column, by whose month it is filed; null if it has none. */
  timeOf(row: Row, timeColumn: string): Date | null
}

/** A Parquet file that grows by rows. */
export interface RowFile<Row> {
  /** The bytes that are complete with this row, where a group of rows is. */
  add(row: Row, length: number): Uint8Array | null
  /** The bytes at the end of the file. */
  end(): readonly Uint8Array[]
}

/** Writes rows of one chain into files of one month each. */
interface RowFiles<Row> {
  add(row: Row, length: number): Promise<void>
  end(): Promise<readonly DataFile[]>
}

/** A file is in memory until it is written. */
const fileBytesMax = 64 * 1024 * 1024
/** Files that grow beside one another. Blocks have their times in order, so that two are enough. */
const openMax = 4

interface OpenFile<Row> {
  readonly file: RowFile<Row>
  readonly month: number | null
  readonly pieces: Uint8Array[]
  rows: number
  bytes: number
}

export function createRowFiles<Row>(
  table: LakeTable<Row>,
  { createFile, timeOf }: FileFormat<Row>,
  chainId: ChainId,
): RowFiles<Row> {
  const open = new Map<number | null, OpenFile<Row>>()
  const done: DataFile[] = []

  async function finish({ file, month, pieces, rows }: OpenFile<Row>): Promise<void> {
    open.delete(month)
    const bytes = Buffer.concat([...pieces, ...file.end()])
    done.push({ path: await table.write(bytes), rows, bytes: bytes.length, chainId, month })
  }

  return {
    add: async (row, length) => {
      const month = monthOf(timeOf(row, table.timeColumn))
      let target = open.get(month)
      if (target === undefined) {
        const [oldest] = open.values()
        if (oldest !== undefined && open.size >= openMax) await finish(oldest)
        target = { file: createFile(table.columns), month, pieces: [], rows: 0, bytes: 0 }
        open.set(month, target)
      }
      target.rows += 1
      const piece = target.file.add(row, length)
      if (piece === null) return
      target.pieces.push(piece)
      target.bytes += piece.length
      if (target.bytes >= fileBytesMax) await finish(target)
    },
    end: async () => {
      for (const file of [...open.values()]) await finish(file)
      return done
    },
  }
}

/** Months since January 1970, as the transform `month` counts them. */
function monthOf(time: Date | null): number | null {
  return time === null ? null : (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth()
}
