/**
 * How rank trees divide time (docs/adr/0002): the timestamps below 2^32 by their bits; what lies beyond counts as the
 * last of them.
 */

/** By how many bits a timestamp is shifted to get its child at a level, and how many bits that child has. */
export const rankLevels: readonly { readonly shift: number; readonly bits: number }[] = [
  { shift: 25, bits: 7 },
  { shift: 18, bits: 7 },
  { shift: 12, bits: 6 },
  { shift: 6, bits: 6 },
  { shift: 0, bits: 6 },
]

export const rankTimestampMax = 2 ** 32 - 1

export function clampTimestamp(timestamp: number): number {
  return timestamp > rankTimestampMax ? rankTimestampMax : timestamp
}

/** The timestamps, both included, that a node's range holds; the last range is open above. */
export function rangeOfNode(
  level: number,
  prefix: number,
): { readonly first: number; readonly last: number } {
  const { shift, bits } = levelAt(level)
  const width = 2 ** (shift + bits)
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

export function levelAt(level: number): { readonly shift: number; readonly bits: number } {
  const found = rankLevels[level]
  if (found === undefined) throw new RangeError(`a rank tree has no level ${level}`)
  return found
}
