/** The quantile of ascending values; NaN without values. */
export function quantile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}

/** The median of unordered values. */
export function median(values: readonly number[]): number {
  const ascending = Float64Array.from(values).sort()
  return (quantile(ascending, 0.5) + (ascending[Math.ceil(ascending.length / 2) - 1] ?? Number.NaN)) / 2
}
