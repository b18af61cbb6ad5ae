/** A record by its composite id, and its protocol if known. */
export interface Keyed {
  readonly id: string
  readonly protocol?: string | undefined
}

/** Tells records apart, also where protocols have the same id. */
export function recordKey({ id, protocol }: Keyed): string {
  return protocol === undefined ? id : `${id} ${protocol}`
}
