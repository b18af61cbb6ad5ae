import type { DomainEvent } from '../model/domainEvent.ts'
import { positionBlock } from '../model/position.ts'

export interface EventsOfBlocks {
  /** The last block of the part: it and all before it are in this part or an earlier one. */
  readonly toBlock: number
  readonly events: readonly DomainEvent[]
}

/**
 * Cuts events, ascending and of blocks up to `toBlock`, into parts of whole blocks that hold `eventsMin` events or (the last)
 * fewer. There is always a last part, and it ends at `toBlock`, since blocks without events are indexed too.
 */
export function splitAtBlocks(
  events: readonly DomainEvent[],
  toBlock: number,
  eventsMin: number,
): readonly EventsOfBlocks[] {
  const parts: EventsOfBlocks[] = []
  let start = 0
  let previousBlock = -1
  for (const [index, event] of events.entries()) {
    const block = positionBlock(event.position)
    if (block !== previousBlock && index - start >= eventsMin) {
      parts.push({ toBlock: previousBlock, events: events.slice(start, index) })
      start = index
    }
    previousBlock = block
  }
  return [...parts, { toBlock, events: events.slice(start) }]
}
