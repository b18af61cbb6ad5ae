import type { DomainEvent } from '../model/domainEvent.ts'
import type { EventSource } from './fetchEvents.ts'
import type { BlockRange } from './fetchRange.ts'

/** Events of a chain that another index has published, after they were compared with the chain. */
export interface PublishedEvents {
  /** The place that they are read from; holds no secret. */
  readonly place: string
  /** The last block whose events are known. */
  readonly toBlock: number
  /**
   * The events from a block on, the one that was asked for or a later one. Each range has whole blocks after those of the
   * range before, and the last one ends with `toBlock`.
   * @throws ChunksRefusedError, PlaceUnavailableError, StartError
   */
  read(fromBlock: number, signal: AbortSignal): AsyncIterable<PublishedRange>
}

export interface PublishedRange {
  readonly toBlock: number
  /** The events of the blocks after the range before. */
  readonly events: readonly DomainEvent[]
  /** The share of all published events of the chain up to here, 0 to 1. */
  readonly share: number
}

/**
 * Finds published events of the contracts of `source` in a range of final blocks, and compares them with the chain.
 * @returns null if nothing is published.
 * @throws ChunksRefusedError, PlaceUnavailableError, StartError if they cannot be used.
 * @throws ChunksUnprovenError if nothing of them can be compared.
 */
export type OpenPublished = (
  source: EventSource,
  blocks: BlockRange,
  signal: AbortSignal,
) => Promise<PublishedEvents | null>
