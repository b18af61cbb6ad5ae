/**
 * Schemas are ordered by their attestations through a class of their count, so that the index of that order moves only
 * with the class. An index on the count itself would be rewritten at every commit that touches a schema, and in
 * PostgreSQL the whole row with it (docs/adr/0013).
 */

/** Classes up to this one hold a single count, which is their number; within any other one counts have to be sorted. */
export const exactClassMax = 16

/** Counts above 2^32 are all in the last class. */
const greatestPower = 31

/**
 * The least count of each class above `exactClassMax`, ascending: quarters of the way from one power of two to the
 * next.
 */
export const countClassBounds: readonly number[] = Array.from(
  { length: (greatestPower - 3) * 4 },
  (_, index) => (4 + (index % 4)) * 2 ** (2 + Math.floor(index / 4)) + 1,
)

/** The class of a count, which grows with it. */
export function countClass(count: number): number {
  if (count <= exactClassMax) return count
  const below = Math.min(count - 1, 2 ** (greatestPower + 1) - 1)
  const power = 31 - Math.clz32(below)
  const quarter = (below >>> (power - 2)) & 3
  return exactClassMax + 1 + (power - 4) * 4 + quarter
}
