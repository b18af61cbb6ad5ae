import type { LatestAttestation } from '../../api/types.ts'

const shownMax = 10

/** Rows merged with the rows that have arrived, both newest first: each row once, as many as the list has. */
export function mergeLatest(
  rows: readonly LatestAttestation[],
  added: readonly LatestAttestation[],
): LatestAttestation[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  // Of two rows in the same second, the one that arrived last is the newer.
  const merged = [...added.filter(({ id }) => !byId.has(id)), ...rows]
  return merged.sort((a, b) => Number(b.attestTimestamp) - Number(a.attestTimestamp)).slice(0, shownMax)
}
