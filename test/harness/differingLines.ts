/**
 * The first differing lines of two exports; empty when the exports are equal. vitest cannot show a difference of tens
 * of thousands of lines.
 */
export function differingLines(
  found: readonly string[],
  expected: readonly string[],
  limit = 5,
): readonly { readonly line: number; readonly found: string; readonly expected: string }[] {
  const differences = []
  for (let i = 0; i < Math.max(found.length, expected.length) && differences.length < limit; i++) {
    if (found[i] === expected[i]) continue
    differences.push({ line: i + 1, found: found[i] ?? '', expected: expected[i] ?? '' })
  }
  return differences
}
