import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { MovedDigest, RunningDigest } from '@attestry/core/index/indexRestore.ts'
import type { ChainDigest } from '@attestry/core/index/storedRecords.ts'
import { addSums, addToDigest, digestVersion, emptyDigest, formatSum } from './eventDigest.ts'

export const noDigest: RunningDigest = { block: null, events: 0, sum: emptyDigest }

/** The columns of a digest in their order. */
export type DigestColumns = readonly [block: number | null, events: number | null, sum: Uint8Array | null]

/** Events between two digests that are kept of older blocks: at most so many are read to make any other one. */
const eventsPerMark = 256

/**
 * Adds the events of the blocks after the digest's block up to `toBlock`, ascending. `marks` are the digests to keep:
 * one at the end of each block in which the number of events reached another multiple of `eventsPerMark`. The marks do
 * not depend on how the blocks are cut into batches.
 */
export function extendDigest(
  digest: RunningDigest,
  events: readonly DomainEvent[],
  toBlock: number,
): MovedDigest {
  const marks: (RunningDigest & { readonly block: number })[] = []
  let { events: count, sum } = digest
  for (let from = 0; from < events.length;) {
    let to = from + eventsPerMark - (count % eventsPerMark)
    while (blockOf(events[to]) === blockOf(events[to - 1]) && to < events.length) to++
    const part = events.slice(from, to)
    sum = addToDigest(sum, part)
    count += part.length
    const block = blockOf(events[to - 1])
    if (block !== null) marks.push({ block, events: count, sum })
    from = to
  }
  return { digest: { block: toBlock, events: count, sum }, marks }
}

/** Digests of events that begin at `before`, of which the summands before are not known, as those of the chain. */
export function addBefore({ digest, marks }: MovedDigest, before: Uint8Array): MovedDigest {
  return {
    digest: { ...digest, sum: addSums(before, digest.sum) },
    marks: marks.map((mark) => ({ ...mark, sum: addSums(before, mark.sum) })),
  }
}

function blockOf(event: DomainEvent | undefined): number | null {
  return event === undefined ? null : positionBlock(event.position)
}

export function formatDigest({ block, events, sum }: RunningDigest): ChainDigest {
  return { version: digestVersion, blockNumber: block, eventCount: events, value: formatSum(sum) }
}

export function digestOfColumns([block, events, sum]: DigestColumns): RunningDigest {
  return block === null || events === null || sum === null ? noDigest : { block, events, sum }
}

export function columnsOfDigest({ block, events, sum }: RunningDigest): DigestColumns {
  return block === null ? [null, null, null] : [block, events, sum]
}
