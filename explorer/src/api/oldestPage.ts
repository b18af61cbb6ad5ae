/** Part of a page of the interface, which lists newest first. */
export interface PagePart {
  readonly page: number
  /** Places on that page, the last one not included. */
  readonly from: number
  readonly to: number
}

/**
 * The pages of the interface that hold a page of a list read from its end: one page, or two adjacent ones, newest row
 * first. Empty past the end.
 */
export function partsOfOldestPage(page: number, size: number, total: number): readonly PagePart[] {
  const end = total - (page - 1) * size
  const begin = Math.max(0, end - size)
  const parts: PagePart[] = []
  for (let at = begin; at < end;) {
    const start = Math.floor(at / size) * size
    const to = Math.min(end, start + size)
    parts.push({ page: start / size + 1, from: at - start, to: to - start })
    at = to
  }
  return parts
}
