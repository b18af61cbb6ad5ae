/** Tells records apart, also where protocols have the same id. */
export function recordKey({ id, protocol }: { readonly id: string; readonly protocol?: string }): string {
  return protocol === undefined ? id : `${id} ${protocol}`
}
