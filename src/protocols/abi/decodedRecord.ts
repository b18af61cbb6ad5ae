/** A struct that a contract returned, or why the bytes are none, as half a sentence. */
export type DecodedRecord<Struct> =
  | { readonly kind: 'record'; readonly record: Struct }
  | { readonly kind: 'malformed'; readonly reason: string }
