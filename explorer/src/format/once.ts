/**
 * The value that `create` makes at the first call. For formatters of `Intl`: the first one takes a phone 30 ms, which
 * must not delay the evaluation of the modules.
 */
export function once<Value>(create: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: create() }).value
}
