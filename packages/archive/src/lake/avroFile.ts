import { randomBytes } from 'node:crypto'

/** The part of the schemas of Avro that the metadata of Iceberg needs (https://avro.apache.org/docs/1.12.0/specification/). */
export type AvroType = 'int' | 'long' | 'string' | AvroRecord | readonly ['null', AvroType]

export interface AvroRecord {
  readonly type: 'record'
  readonly name: string
  readonly fields: readonly AvroField[]
}

export interface AvroField {
  readonly name: string
  readonly type: AvroType
  /** By this number, not by the name, readers of Iceberg find the field. */
  readonly 'field-id': number
  readonly default?: null
}

/** A record by the names of its fields. */
export type AvroValue = string | number | null | { readonly [field: string]: AvroValue }

/** A field whose value may be null. */
export function optional(name: string, type: AvroType, id: number): AvroField {
  return { name, type: ['null', type], default: null, 'field-id': id }
}

export function required(name: string, type: AvroType, id: number): AvroField {
  return { name, type, 'field-id': id }
}

/** An object container file with the rows in one block that is not compressed. */
export function avroFile(
  schema: AvroRecord,
  metadata: Readonly<Record<string, string>>,
  rows: readonly AvroValue[],
): Uint8Array {
  const entries = Object.entries({
    ...metadata,
    'avro.schema': JSON.stringify(schema),
    'avro.codec': 'null',
  })
  const sync = randomBytes(16)
  const block = Buffer.concat(rows.flatMap((row) => encode(schema, row)))
  return Buffer.concat([
    Buffer.from('Obj\u0001', 'latin1'),
    varint(entries.length),
    ...entries.flatMap(([key, value]) => [...text(key), ...text(value)]),
    varint(0),
    sync,
    ...(rows.length === 0 ? [] : [varint(rows.length), varint(block.length), block, sync]),
  ])
}

function encode(type: AvroType, value: AvroValue): Buffer[] {
  if (isUnion(type)) return value === null ? [varint(0)] : [varint(1), ...encode(type[1], value)]
  if (typeof type === 'object' && typeof value === 'object' && value !== null) {
    return type.fields.flatMap((field) => encode(field.type, value[field.name] ?? null))
  }
  if (type === 'string' && typeof value === 'string') return text(value)
  if ((type === 'int' || type === 'long') && typeof value === 'number') return [varint(value)]
  throw new TypeError(`Avro has no ${JSON.stringify(value)} of type ${JSON.stringify(type)}`)
}

function isUnion(type: AvroType): type is readonly ['null', AvroType] {
  return Array.isArray(type)
}

function text(value: string): Buffer[] {
  const bytes = Buffer.from(value)
  return [varint(bytes.length), bytes]
}

/** A whole number up to 2^53 in zigzag: seven bits a byte, the lowest first. */
function varint(value: number): Buffer {
  let rest = value < 0 ? BigInt(value) * -2n - 1n : BigInt(value) * 2n
  const bytes: number[] = []
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}
