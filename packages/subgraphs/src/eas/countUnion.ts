/** Most counts that one union is made of. */
const countsMax = 64

/**
 * How many rows pass at least one of the filters, by inclusion and exclusion; null where that takes too many counts.
 * Filters that exclude one another, such as those of different schemas, cost one count each.
 * @param intersect the filter of the rows that pass both; null where no row can.
 */
export async function countUnion<Filter>(
  filters: readonly Filter[],
  intersect: (a: Filter, b: Filter) => Filter | null,
  count: (filter: Filter) => Promise<number>,
): Promise<number | null> {
  const terms: { readonly filter: Filter; readonly sign: 1 | -1 }[] = []
  const isListed = listTerms(filters, 1)
  if (!isListed) return null
  const counts = await Promise.all(terms.map(async ({ filter, sign }) => sign * (await count(filter))))
  return counts.reduce((sum, part) => sum + part, 0)

  /** Adds the terms of a union: the first filter, the union of the others, minus what both have. */
  function listTerms(union: readonly Filter[], sign: 1 | -1): boolean {
    for (const [index, filter] of union.entries()) {
      if (terms.length === countsMax) return false
      terms.push({ filter, sign })
      const shared = union
        .slice(0, index)
        .map((earlier) => intersect(earlier, filter))
        .filter((both) => both !== null)
      if (!listTerms(shared, sign === 1 ? -1 : 1)) return false
    }
    return true
  }
}
