import type { AbiReader } from './abiReader.ts'

/** A struct that a contract returned, or the reason why the bytes are invalid, as half a sentence. */
export type DecodedRecord<Struct> =
  | { readonly kind: 'record'; readonly record: Struct }
  | { readonly kind: 'malformed'; readonly reason: string }

/** The struct whose members were read, unless the reader found a problem on the way or bytes that nothing refers to. */
export function finishRecord<Struct>(reader: AbiReader, record: Struct): DecodedRecord<Struct> {
  const problem = reader.finish()
  return problem === null ? { kind: 'record', record } : { kind: 'malformed', reason: problem }
}
