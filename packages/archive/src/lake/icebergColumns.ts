import type { ParquetWriter } from 'hyparquet-writer'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** A column of a Parquet file, and its parts where it is a list. */
export interface ParquetColumn<Row> {
  readonly name: string
  readonly elements: readonly SchemaElement[]
  readonly valueOf: (row: Row) => unknown
}

/** A field of the schema of a table (https://iceberg.apache.org/spec/#schemas). */
export interface IcebergField {
  readonly id: number
  readonly name: string
  readonly required: false
  readonly type: IcebergType
}

type IcebergType =
  | string
  | {
      readonly type: 'list'
      readonly 'element-id': number
      readonly element: string
      readonly 'element-required': false
    }

export interface IcebergColumns<Row> {
  readonly fields: readonly IcebergField[]
  readonly lastId: number
  /** The columns as the data files of the table have them. */
  readonly parquet: readonly ParquetColumn<Row>[]
}

/**
 * The columns of a table. Iceberg knows a column by its number, has times in microseconds, and neither unsigned integers
 * nor JSON: these are decimals of twenty digits and texts.
 */
export function icebergColumns<Row>(columns: readonly ParquetColumn<Row>[]): IcebergColumns<Row> {
  let lastId = columns.length
  const fields: IcebergField[] = []
  const parquet: ParquetColumn<Row>[] = []
  for (const [index, column] of columns.entries()) {
    const id = index + 1
    const [top, group, element] = column.elements
    if (top === undefined) throw new TypeError(`column ${column.name} has no elements`)
    const field = { id, name: column.name, required: false } as const
    if (group === undefined || element === undefined) {
      const { type, stored } = scalar(top)
      fields.push({ ...field, type })
      parquet.push({
        ...column,
        elements: [{ ...stored, field_id: id }],
        ...(top.converted_type === 'JSON' && { valueOf: (row) => jsonText(column.valueOf(row)) }),
      })
    } else {
      lastId += 1
      const { type, stored } = scalar(element)
      fields.push({
        ...field,
        type: { type: 'list', 'element-id': lastId, element: type, 'element-required': false },
      })
      parquet.push({
        ...column,
        elements: [{ ...top, field_id: id }, group, { ...stored, field_id: lastId }],
      })
    }
  }
  return { fields, lastId, parquet }
}

/** DuckDB reads a time without this as one of no time zone. */
const utc = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } as const

function scalar(element: SchemaElement): { readonly type: string; readonly stored: SchemaElement } {
  switch (element.converted_type) {
    case 'UTF8':
      return { type: 'string', stored: element }
    case 'JSON':
      return { type: 'string', stored: { ...element, converted_type: 'UTF8' } }
    case 'TIMESTAMP_MILLIS':
      return {
        type: 'timestamptz',
        stored: { ...element, converted_type: 'TIMESTAMP_MICROS', logical_type: utc },
      }
    case 'UINT_64': {
      const decimal = { converted_type: 'DECIMAL', precision: 20, scale: 0 } as const
      return {
        type: 'decimal(20, 0)',
        stored: { ...element, ...decimal, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 9 },
      }
    }
    case undefined:
      if (element.type === 'INT32') return { type: 'int', stored: element }
      if (element.type === 'INT64') return { type: 'long', stored: element }
      if (element.type === 'BOOLEAN') return { type: 'boolean', stored: element }
      break
    default:
      break
  }
  throw new TypeError(`Iceberg has no column such as ${JSON.stringify(element)}`)
}

function jsonText(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
