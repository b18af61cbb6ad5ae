import { daySeconds } from '@attestry/core/model/time.ts'

/**
 * The division of time by rank trees (docs/adr/0002): the seconds from 1970 to 2106 into days, hours, minutes and
 * seconds. Later times count as the last second.
 */

interface RankLevel {
  /** The seconds of a child of a node. */
  readonly seconds: number
  /** How many children a node has. */
  readonly children: number
}

/** The level whose children are UTC days: series by day read it. */
export const dayLevel = 1

/** Days in a node of that level: of the two levels above hours, each has about as many children. */
export const daysPerNode = 224

export const rankLevels: readonly RankLevel[] = [
  { seconds: daysPerNode * daySeconds, children: 222 },
  { seconds: daySeconds, children: daysPerNode },
  { seconds: 3_600, children: 24 },
  { seconds: 60, children: 60 },
  { seconds: 1, children: 60 },
]

export const rankTimestampMax = 222 * daysPerNode * daySeconds - 1

export function clampTimestamp(timestamp: number): number {
  return timestamp > rankTimestampMax ? rankTimestampMax : timestamp
}

/** The timestamps, both included, that a node's range holds; the last range is open above. */
export function rangeOfNode(
  level: number,
  prefix: number,
): { readonly first: number; readonly last: number } {
  const { seconds, children } = levelAt(level)
  const width = seconds * children
  const last = prefix * width + width - 1
  return { first: prefix * width, last: last >= rankTimestampMax ? Number.MAX_SAFE_INTEGER : last }
}

/** Counts are stored as 32-bit integers, least significant byte first, whatever the machine. */
export function encodeCounts(counts: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(counts.length * 4)
  const view = new DataView(bytes.buffer)
  // By index, not by an iterator: every record that is written rewrites some nodes.
  for (let index = 0; index < counts.length; index++) view.setUint32(index * 4, counts[index] ?? 0, true)
  return bytes
}

export function decodeCounts(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const counts = new Uint32Array(bytes.byteLength / 4)
  for (let index = 0; index < counts.length; index++) counts[index] = view.getUint32(index * 4, true)
  return counts
}

/** The child of a node of a level in whose span a clamped timestamp lies. */
export function childAt({ seconds, children }: RankLevel, timestamp: number): number {
  return Math.floor(timestamp / seconds) % children
}

export function levelAt(level: number): RankLevel {
  const found = rankLevels[level]
  if (found === undefined) throw new RangeError(`a rank tree has no level ${level}`)
  return found
}
