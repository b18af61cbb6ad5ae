import { positionBlock } from '@attestry/core/model/position.ts'
import { isBornRevoked, type StoredEvent } from '@attestry/core/index/indexRestore.ts'

/** Blocks of which all events are known: one with events and those without after it, or some without. */
export interface SampledSpan {
  readonly fromBlock: number
  readonly toBlock: number
  readonly events: readonly StoredEvent[]
  /** Whether attestations have the revocations that the rest of the chain says. */
  readonly hasRevocations: boolean
}

/**
 * Draws a uniform sample of the spans of a chain from its events, in one pass (algorithm R). Each record that was
 * forged, changed or left out stands in one span. If a share p of the spans is wrong, a sample of n spans misses all of
 * them with a probability of (1 - p)^n. Spans with records that are revoked without an event are always in the sample.
 */
export interface SpanSample {
  /** Takes the next events of the chain, which are all those of their blocks so far. */
  add(events: readonly StoredEvent[]): void
  /** The sample, ascending, once all events have been taken. */
  finish(toBlock: number): readonly SampledSpan[]
  /** The number of spans that the sample is of. */
  spans(): number
}

/** Most spans that are in the sample whatever is drawn; further ones are drawn like all others. */
const keptMax = 2_000

/** Blocks of a span: few enough for one request to most endpoints. */
const spanBlocksMax = 1_000

export function createSpanSample(fromBlock: number, size: number, random: () => number): SpanSample {
  const drawn: SampledSpan[] = []
  /** Spans with records that are revoked without an event: no digest covers that, and only the contract can tell. */
  const kept: SampledSpan[] = []
  const keptRecords = new Set<string>()
  const revocations = new Map<string, NonNullable<StoredEvent['revocation']>>()
  const watched = new Map<string, number>()
  let count = 0
  let nextBlock = fromBlock
  /** The events of the block that `nextBlock` is. */
  let current: StoredEvent[] = []

  function draw(span: SampledSpan): void {
    count += 1
    if (size > 0 && kept.length < keptMax && span.events.some(isBornRevoked)) {
      kept.push(span)
      for (const key of recordsOf(span)) keptRecords.add(key)
      return
    }
    const slot = drawn.length < size ? drawn.length : Math.floor(random() * (count - kept.length))
    if (slot >= size) return
    for (const key of recordsOf(drawn[slot])) watched.delete(key)
    drawn[slot] = span
    for (const key of recordsOf(span)) watched.set(key, slot)
  }

  /** Draws the spans from `nextBlock` up to a block. */
  function drawUpTo(toBlock: number): void {
    while (nextBlock <= toBlock) {
      const end = Math.min(toBlock, nextBlock + spanBlocksMax - 1)
      draw({ fromBlock: nextBlock, toBlock: end, events: current, hasRevocations: true })
      current = []
      nextBlock = end + 1
    }
  }

  return {
    add: (events) => {
      for (const stored of events) {
        const { event } = stored
        const block = positionBlock(event.position)
        drawUpTo(block - 1)
        current.push(stored)
        if (event.kind !== 'attestationRevoked') continue
        const key = `${event.protocol} ${event.localId}`
        const isCurrent = current.some((each) => recordOf(each) === key)
        if (!watched.has(key) && !keptRecords.has(key) && !isCurrent) continue
        if (!revocations.has(key))
          revocations.set(key, { timestamp: BigInt(event.timestamp), position: event.position })
      }
    },
    finish: (toBlock) => {
      drawUpTo(toBlock)
      return [...kept, ...drawn]
        .map((span) => ({ ...span, events: span.events.map(withRevocation) }))
        .sort((a, b) => a.fromBlock - b.fromBlock)
    },
    spans: () => count,
  }

  function withRevocation(stored: StoredEvent): StoredEvent {
    const revocation = revocations.get(recordOf(stored) ?? '')
    return revocation === undefined || stored.revocation !== null ? stored : { ...stored, revocation }
  }
}

function recordsOf(span: SampledSpan | undefined): readonly string[] {
  return span?.events.flatMap((stored) => recordOf(stored) ?? []) ?? []
}

function recordOf({ event }: StoredEvent): string | null {
  return event.kind === 'attestationMade'
    ? `${event.attestation.protocol} ${event.attestation.key.localId}`
    : null
}

/** The probability, of 1, that a sample of `size` misses a lie about a share of the spans. */
export function missProbability(share: number, size: number): number {
  return (1 - share) ** size
}
