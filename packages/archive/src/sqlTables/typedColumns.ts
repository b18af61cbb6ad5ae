import type { DecodedPayload, PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { DataLocation, SchemaField } from '@attestry/core/model/records.ts'
import { distinctNames, payloadColumns, plainValue } from '../export/payloadColumns.ts'
import type { ColumnKind, TypedWords } from './typedDatabase.ts'

/** A field of a schema as a column. */
export interface TypedColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** The name and type of the field, as its schema has them. */
  readonly field: SchemaField
  readonly valueOf: (payload: DecodedPayload) => PayloadValue | null
}

/** Characters of the longest name of a column: PostgreSQL has 63 bytes, of which a character takes at most four. */
const nameLengthMax = 15

/** The columns of fields: their names with `_` for each character that is no letter or digit, each once. */
export function typedColumns(fields: readonly SchemaField[], taken: readonly string[]): TypedColumn[] {
  const names = distinctNames(
    fields.map(({ name }) => columnName(name)),
    taken,
  )
  return payloadColumns(fields, []).map(({ type, valueOf }, index) => ({
    name: names[index] ?? '',
    kind: columnKind(type),
    field: fields[index] ?? { name: '', type },
    valueOf,
  }))
}

function columnName(name: string): string {
  const plain = name.trim().replaceAll(/[^\p{L}\p{N}_]/gu, '_')
  return /^[\x20-\x7e]*$/.test(plain)
    ? plain.slice(0, nameLengthMax * 4 - 4)
    : [...plain].slice(0, nameLengthMax - 1).join('')
}

/** Integers that fit 64 bits with their sign are `bigint`; arrays and tuples are JSON. */
function columnKind(type: string): ColumnKind {
  const [, name = '', bits = '256'] = /^\s*([a-z]+)([0-9]*)\s*(?:payable\s*)?$/.exec(type) ?? []
  switch (name) {
    case 'uint':
      return Number(bits || 256) < 64 ? 'bigint' : 'numeric'
    case 'int':
      return Number(bits || 256) <= 64 ? 'bigint' : 'numeric'
    case 'bool':
      return 'boolean'
    case 'address':
    case 'bytes':
    case 'string':
      return 'text'
    default:
      return 'json'
  }
}

/** The reason why a payload has no values; null if it has. */
export function reasonOf(payload: DecodedPayload, dataLocation: DataLocation): string | null {
  if (dataLocation !== 'ONCHAIN') return `the payload is kept elsewhere: ${dataLocation}`
  return payload.kind === 'undecodable' ? payload.reason : null
}

/** The value of a column as a parameter of a statement. */
export function cellOf(
  { kind, field, valueOf }: TypedColumn,
  payload: DecodedPayload,
  words: TypedWords,
): string | number | bigint | null {
  const value = valueOf(payload)
  if (value === null) return null
  const plain = lowerAddresses(field.type, value)
  if (kind === 'json' || typeof plain === 'object') return JSON.stringify(plainValue(plain))
  if (kind === 'bigint') return BigInt(plain)
  if (kind === 'boolean') return plain === true ? 1 : 0
  return words.plainText(String(plain))
}

/** A value with its addresses in lower case, as all views have them. */
function lowerAddresses(type: string, value: PayloadValue): PayloadValue {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return type.trimStart().startsWith('address') ? value.toLowerCase() : value
  return value.map((each) =>
    typeof each === 'object' && 'name' in each
      ? { ...each, value: lowerAddresses(each.type, each.value) }
      : lowerAddresses(type, each),
  ) as PayloadValue
}
