/**
 * Damerau-Levenshtein distance: letters to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let distance = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1)
      row.push(distance)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
