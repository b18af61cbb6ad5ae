import type { Chain } from '../../api/types.ts'

/** An index whose newest block is younger than this, in seconds, is in the present. */
const presentSeconds = 3600

/**
 * The share of a chain's history that is in the index, by time from the first day with an attestation to now: 0 to 1.
 * Null for an index in the present, and for a chain without a new block since `seenBlock`: such a chain is idle, not
 * incomplete.
 */
export function historyShare(
  { indexedBlock, indexedTimestamp }: Pick<Chain, 'indexedBlock' | 'indexedTimestamp'>,
  seenBlock: number | null,
  firstDaySeconds: number,
  nowSeconds: number,
): number | null {
  if (indexedBlock === null || indexedTimestamp === null) return null
  if (nowSeconds - indexedTimestamp < presentSeconds || indexedBlock <= (seenBlock ?? -1)) return null
  const share = (indexedTimestamp - firstDaySeconds) / (nowSeconds - firstDaySeconds)
  return Math.min(1, Math.max(0, share))
}
