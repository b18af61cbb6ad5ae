/** The id of a record on its own chain, which stands at the end of its composite id. */
export function localIdOf(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1)
}
