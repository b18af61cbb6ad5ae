import type { LatestAttestation } from '../../api/types.ts'
import { recordKey } from '../../format/recordKey.ts'

const shownMax = 10

/** Rows merged with the rows that have arrived, both newest first: each row once, as many as the list has. */
export function mergeLatest(
  rows: readonly LatestAttestation[],
  added: readonly LatestAttestation[],
): LatestAttestation[] {
  const kept = new Set(rows.map(recordKey))
  // Of two rows in the same second, the one that arrived last is the newer.
  const merged = [...added.filter((row) => !kept.has(recordKey(row))), ...rows]
  return merged.sort((a, b) => Number(b.attestTimestamp) - Number(a.attestTimestamp)).slice(0, shownMax)
}
