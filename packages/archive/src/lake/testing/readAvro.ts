import type { AvroType } from '../avroFile.ts'

/** Reads a container file of Avro by the schema that the file has. Whole numbers are bigints. */
export function readAvro(file: Uint8Array): {
  readonly metadata: Readonly<Record<string, string>>
  readonly rows: readonly AvroRow[]
} {
  const bytes = Buffer.from(file)
  if (bytes.toString('latin1', 0, 4) !== 'Obj\u0001') throw new Error('this is no file of Avro')
  let at = 4
  const long = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at] ?? 0
      at += 1
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return (value >> 1n) ^ -(value & 1n)
    }
  }
  const text = () => {
    const length = Number(long())
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  const value = (type: AvroType): AvroRow[string] => {
    if (type === 'string') return text()
    if (type === 'int' || type === 'long') return long()
    if ('fields' in type) {
      return Object.fromEntries(type.fields.map((field) => [field.name, value(field.type)]))
    }
    return long() === 0n ? null : value(type[1])
  }
  const metadata: Record<string, string> = {}
  for (let count = long(); count > 0n; count = long()) {
    for (let index = 0n; index < count; index++) {
      const key = text()
      metadata[key] = text()
    }
  }
  const sync = bytes.toString('hex', at, at + 16)
  at += 16
  const rows: AvroRow[] = []
  const schema = JSON.parse(metadata['avro.schema'] ?? '') as AvroType
  while (at < bytes.length) {
    const count = long()
    const end = Number(long()) + at
    for (let index = 0n; index < count; index++) rows.push(value(schema) as AvroRow)
    if (at !== end || bytes.toString('hex', at, at + 16) !== sync) throw new Error('the block is damaged')
    at += 16
  }
  return { metadata, rows }
}

export interface AvroRow {
  readonly [field: string]: string | bigint | null | AvroRow
}
