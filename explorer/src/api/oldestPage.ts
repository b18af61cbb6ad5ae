/** Part of a page of the interface, which lists newest first. */
export interface PagePart {
  readonly page: number
  /** Places on that page, the last one not included. */
  readonly from: number
  readonly to: number
}

/**
 * Where the rows of a page stand when a list is read from its end: on one page of the interface, or on two beside one another,
 * newest first. Empty past the end.
 */
export function partsOfOldestPage(page: number, size: number, total: number): readonly PagePart[] {
  const end = total - (page - 1) * size
  const begin = Math.max(0, end - size)
  const parts: PagePart[] = []
  for (let at = begin; at < end; ) {
    const start = Math.floor(at / size) * size
    const to = Math.min(end, start + size)
    parts.push({ page: start / size + 1, from: at - start, to: to - start })
    at = to
  }
  return parts
}
