import {
  nameOf,
  parseColumnSpec,
  specOfTable,
  type AnyTable,
  type ColumnSpec,
  type ColumnType,
} from '../layout/tables.ts'
import type { AnyRow } from '../port/anyTables.ts'
import { encodeText } from './textColumn.ts'

/** A table to append rows to, with the types of the columns that rows give. */
export interface CopyTarget {
  readonly table: string
  readonly columns: Readonly<Record<string, ColumnSpec>>
}

/** All columns of a table. */
export function copyTarget(table: AnyTable): CopyTarget {
  return { table: nameOf(table), columns: specOfTable(table).columns }
}

/**
 * Rows in the binary format of `COPY` (https://www.postgresql.org/docs/current/sql-copy.html), in pieces: each is made
 * when it is asked for, so that the server works on one while the next is made. The loop over columns makes no object,
 * since a backfill passes here with every column of every row.
 */
export function* encodeCopy({ columns }: CopyTarget, rows: Iterable<AnyRow>): Generator<Uint8Array> {
  const names = Object.keys(columns)
  const types = Object.values(columns).map((spec) => parseColumnSpec(spec).type)
  let writer = createPieceWriter()
  writer.raw(signature)
  for (const row of rows) {
    writer.int16(names.length)
    for (let index = 0; index < names.length; index++) {
      writeValue(writer, types[index] as ColumnType, row[names[index] as string])
    }
    if (writer.length() < pieceBytes) continue
    yield writer.piece()
    writer = createPieceWriter()
  }
  writer.int16(-1)
  yield writer.piece()
}

const pieceBytes = 128 * 1024

/** The signature, no flags, no extension of the header. */
const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

/** The type of the elements of `bigint[]` (pg_type.dat). */
const bigintTypeId = 20

type PieceWriter = ReturnType<typeof createPieceWriter>

function writeValue(writer: PieceWriter, type: ColumnType, value: unknown): void {
  if (value === null) return writer.int32(-1)
  switch (type) {
    case 'text':
    case 'key':
      if (typeof value === 'string') return writer.text(value)
      break
    case 'chainText':
      if (typeof value === 'string') return writer.text(encodeText(value))
      break
    case 'int53':
    case 'int64':
      if (typeof value !== 'number' && typeof value !== 'bigint') break
      writer.int32(8)
      return writer.int64(value)
    case 'int32':
      if (typeof value !== 'number') break
      writer.int32(4)
      return writer.int32(value)
    case 'boolean':
      if (typeof value !== 'boolean') break
      writer.int32(1)
      return writer.raw(value ? trueByte : falseByte)
    case 'bytes':
      if (!(value instanceof Uint8Array)) break
      writer.int32(value.length)
      return writer.raw(value)
    case 'int53List':
      if (!Array.isArray(value)) break
      return writeArray(writer, value as readonly number[])
  }
  throw new TypeError(`a column of type ${type} was given a ${typeof value}`)
}

/** One dimension without NULLs; an empty array has no dimension at all. */
function writeArray(writer: PieceWriter, values: readonly number[]): void {
  const dimensions = values.length === 0 ? 0 : 1
  writer.int32(12 + dimensions * 8 + values.length * 12)
  writer.int32(dimensions)
  writer.int32(0)
  writer.int32(bigintTypeId)
  if (dimensions === 0) return
  writer.int32(values.length)
  writer.int32(1)
  for (const value of values) {
    writer.int32(8)
    writer.int64(value)
  }
}

const trueByte = Uint8Array.of(1)
const falseByte = Uint8Array.of(0)

/** A buffer that grows. */
function createPieceWriter() {
  let buffer = Buffer.allocUnsafe(pieceBytes + (pieceBytes >> 2))
  let at = 0

  function reserve(bytes: number): void {
    if (at + bytes <= buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(grown, 0, 0, at)
    buffer = grown
  }

  return {
    length: () => at,
    piece: (): Uint8Array => buffer.subarray(0, at),
    int16: (value: number): void => {
      reserve(2)
      at = buffer.writeInt16BE(value, at)
    },
    int32: (value: number): void => {
      reserve(4)
      at = buffer.writeInt32BE(value, at)
    },
    int64: (value: number | bigint): void => {
      reserve(8)
      if (typeof value === 'bigint') at = buffer.writeBigInt64BE(value, at)
      else {
        at = buffer.writeInt32BE(Math.floor(value / 2 ** 32), at)
        at = buffer.writeUInt32BE(value >>> 0, at)
      }
    },
    raw: (bytes: Uint8Array): void => {
      reserve(bytes.length)
      buffer.set(bytes, at)
      at += bytes.length
    },
    /** With its length in front, which is known only afterwards. A UTF-16 unit takes three bytes at most. */
    text: (value: string): void => {
      reserve(4 + value.length * 3)
      const bytes = buffer.write(value, at + 4, 'utf8')
      buffer.writeInt32BE(bytes, at)
      at += 4 + bytes
    },
  }
}
