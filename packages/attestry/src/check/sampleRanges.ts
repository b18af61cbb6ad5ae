interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
}

const samplesMax = 6
/** Wide enough to count records by, narrow enough for a small answer. */
const sampleBlocksMax = 2_000

/** A few ranges of at most `width` blocks, spread evenly; the first begins with `first`, the last ends with `last`. */
export function sampleRanges(first: number, last: number, width: number): readonly BlockRange[] {
  const blocks = Math.min(width, sampleBlocksMax, last - first + 1)
  const room = last - first + 1 - blocks
  const starts = Array.from(
    { length: samplesMax },
    (_, i) => first + Math.round((room * i) / (samplesMax - 1)),
  )
  return [...new Set(starts)].map((fromBlock) => ({ fromBlock, toBlock: fromBlock + blocks - 1 }))
}
