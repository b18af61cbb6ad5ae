/** Hours that count, and the hours after which an attestation counts half (docs/api.md, "Order"). */
export const trendingHours = 168
const halfLifeHours = 24

/**
 * The addends of one clock hour's attestations to the scores of their schemas, before age. A session keeps them across
 * versions of the index until `hour_version` says that the hour has changed. A busy week has 100,000 such terms;
 * reading them all at every block would keep all other requests waiting for a tenth of a second.
 */
export interface HourTerms {
  readonly version: number
  /** Row ids of schemas, ascending, and for each ln(1 + its attestations in the hour). */
  readonly schemaIds: Float64Array
  readonly terms: Float64Array
}

/** The scores by the schemas' row ids. */
export function sumScores(hours: ReadonlyMap<number, HourTerms>, lastHour: number): Map<number, number> {
  const scores = new Map<number, number>()
  for (let age = 0; age < trendingHours; age++) {
    const hour = hours.get(lastHour - age)
    if (hour === undefined) continue
    const { schemaIds, terms } = hour
    const weight = 2 ** (-age / halfLifeHours)
    for (let index = 0; index < schemaIds.length; index++) {
      const schemaId = schemaIds[index] ?? 0
      scores.set(schemaId, (scores.get(schemaId) ?? 0) + (terms[index] ?? 0) * weight)
    }
  }
  return scores
}

/** The value that is in the `n`th place from above; 0 if fewer are above 0. */
export function nthHighest(values: Iterable<number>, n: number): number {
  const highest: number[] = []
  for (const value of values) {
    if (value === 0 || (highest.length === n && value <= (highest[n - 1] ?? 0))) continue
    const place = highest.findIndex((other) => other < value)
    highest.splice(place < 0 ? highest.length : place, 0, value)
    if (highest.length > n) highest.pop()
  }
  return highest.length < n ? 0 : (highest[n - 1] ?? 0)
}
