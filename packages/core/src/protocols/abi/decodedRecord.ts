import type { Hex } from '../../model/hex.ts'
import { AbiReader } from './abiReader.ts'

/** A struct that a contract returned, or the reason why the bytes are invalid, as half a sentence. */
export type DecodedRecord<Struct> =
  | { readonly kind: 'record'; readonly record: Struct }
  | { readonly kind: 'malformed'; readonly reason: string }

/** The type of a member of a struct; the tail of a dynamic one is read behind the heads of all. */
interface MemberType<Value> {
  readonly isDynamic: boolean
  readonly read: (reader: AbiReader) => Value
}

/** A type whose value is one word. */
export function word<Value>(read: (reader: AbiReader) => Value): MemberType<Value> {
  return { isDynamic: false, read }
}

/** A type whose value stands behind the words. */
export function tail<Value>(read: (reader: AbiReader) => Value): MemberType<Value> {
  return { isDynamic: true, read }
}

export const hash = word((reader) => reader.hash())
export const address = word((reader) => reader.address())
export const bool = word((reader) => reader.bool())
export const uint64 = word((reader) => reader.uint64())
export const bytes = tail((reader) => reader.bytes())
export const string = tail((reader) => reader.string())

type Decoder<Struct> = (returned: Hex) => DecodedRecord<Struct>

/** The struct that a decoder reads. */
export type RecordOf<Decode> = Decode extends Decoder<infer Struct> ? Struct : never

/** Makes the decoder of results that are one struct, whose members are in the order of the contract. */
export function createDecoder<Struct extends object>(members: {
  readonly [Name in keyof Struct]: MemberType<Struct[Name]>
}): Decoder<Struct> {
  const all = Object.entries<MemberType<unknown>>(members).map(([name, type]) => ({ name, ...type }))
  const dynamic = all.filter(({ isDynamic }) => isDynamic)
  return (returned) => {
    const reader = new AbiReader(returned)
    reader.tail(reader.offset(0))
    const frame = reader.position
    const record: Record<string, unknown> = {}
    for (const { name, isDynamic, read } of all) {
      // Holds the offset of a dynamic member's tail until it is read.
      record[name] = isDynamic ? reader.offset(frame) : read(reader)
    }
    for (const { name, read } of dynamic) {
      reader.tail(record[name] as number)
      record[name] = read(reader)
    }
    const problem = reader.finish()
    return problem === null
      ? { kind: 'record', record: record as Struct }
      : { kind: 'malformed', reason: problem }
  }
}
