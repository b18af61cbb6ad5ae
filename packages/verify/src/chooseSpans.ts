import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { BlockSpan } from './findings.ts'

/** Number of random spans beside the blocks of the sampled records: a missing record stands in none of those. */
const randomSpans = 20
const spanBlocks = 100

export interface SpanChoice {
  /** The first block of any contract, and the last block to compare. */
  readonly firstBlock: number
  readonly lastBlock: number
  readonly records: readonly Position[]
  /** Spans that the sample has to contain. */
  readonly also: readonly BlockSpan[]
  readonly random: () => number
}

/**
 * The blocks of a sample, ascending and without overlap: the blocks of the sampled records, the newest blocks, random
 * spans of the whole chain, and the required spans.
 */
export function chooseSpans({
  firstBlock,
  lastBlock,
  records,
  also,
  random,
}: SpanChoice): readonly BlockSpan[] {
  const spans: BlockSpan[] = [...also, spanAt(lastBlock - spanBlocks + 1)]
  for (const position of records) {
    const block = positionBlock(position)
    spans.push({ fromBlock: block, toBlock: block })
  }
  for (let n = 0; n < randomSpans; n++) {
    spans.push(spanAt(firstBlock + Math.floor(random() * (lastBlock - firstBlock + 1))))
  }
  return mergeSpans(spans.map((span) => clamp(span, firstBlock, lastBlock)))
}

function spanAt(fromBlock: number): BlockSpan {
  return { fromBlock, toBlock: fromBlock + spanBlocks - 1 }
}

function clamp({ fromBlock, toBlock }: BlockSpan, firstBlock: number, lastBlock: number): BlockSpan {
  return { fromBlock: Math.max(fromBlock, firstBlock), toBlock: Math.min(toBlock, lastBlock) }
}

/** Sorts spans, joins adjacent ones, and removes empty ones. */
export function mergeSpans(spans: readonly BlockSpan[]): readonly BlockSpan[] {
  const sorted = spans
    .filter(({ fromBlock, toBlock }) => fromBlock <= toBlock)
    .sort((a, b) => a.fromBlock - b.fromBlock)
  const merged: BlockSpan[] = []
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last === undefined || span.fromBlock > last.toBlock + 1) merged.push(span)
    else merged[merged.length - 1] = { ...last, toBlock: Math.max(last.toBlock, span.toBlock) }
  }
  return merged
}
