/** A struct that a contract returned, or the reason why the bytes are invalid, as half a sentence. */
export type DecodedRecord<Struct> =
  | { readonly kind: 'record'; readonly record: Struct }
  | { readonly kind: 'malformed'; readonly reason: string }
