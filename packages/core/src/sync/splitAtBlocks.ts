import type { DomainEvent } from '../model/domainEvent.ts'
import { positionBlock } from '../model/position.ts'

export interface EventsOfBlocks {
  /** The last block of the part. */
  readonly toBlock: number
  readonly events: readonly DomainEvent[]
}

/**
 * Cuts ascending events of blocks up to `toBlock` into parts of whole blocks, with at least `eventsMin` events each but
 * for the last part. The last part always exists and ends at `toBlock`, because blocks without events are indexed too.
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
