import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { withDefinition, type DefineSchema } from '@attestry/core/index/fieldIndexing.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import type { BlockRange } from '@attestry/core/sync/fetchRange.ts'
import type { PublishedRange } from '@attestry/core/sync/publishedEvents.ts'
import {
  compareSample,
  eventsUpTo,
  readSteps,
  type ChainToReplay,
  type ChunkChecks,
  type ComparedSample,
} from './readChunks.ts'
import { createSpanSample } from './sampleSpans.ts'

/**
 * Checks the published events of a range of blocks, which all are up to `published.block`: the digests of their chunks,
 * and a sample by the endpoints.
 * @throws ChunksRefusedError, ChunksUnprovenError, PlaceUnavailableError
 */
export async function checkPublished(
  checks: ChunkChecks,
  chain: ChainToReplay,
  range: BlockRange,
): Promise<ComparedSample> {
  const part = partOf(chain, range)
  const sample = createSpanSample(range.fromBlock, checks.sampleSize, checks.random)
  for await (const { events } of readSteps(checks, part.chain, part.firstChunk)) {
    sample.add(eventsWithin(events, range))
  }
  return await compareSample(checks, part.chain, sample)
}

/** Reads the published events of a range of blocks, as `PublishedEvents.read` does. `define`: the schemas' definitions. */
export async function* readPublished(
  checks: ChunkChecks,
  chain: ChainToReplay,
  range: BlockRange,
  define: DefineSchema,
): AsyncGenerator<PublishedRange> {
  const part = partOf(chain, range)
  const { chunks } = chain.published
  let read = chunks.slice(0, part.firstChunk).reduce((count, { events }) => count + events, 0)
  let toBlock = range.fromBlock - 1
  for await (const { events } of readSteps(checks, part.chain, part.firstChunk)) {
    read += events.length
    const within = eventsWithin(events, range)
    const last = within.at(-1)
    if (last === undefined) continue
    toBlock = positionBlock(last.event.position)
    yield {
      toBlock,
      events: within.map(({ event }) => withSettledClaim(withDefinition(event, define))),
      share: read / chain.published.events,
    }
  }
  if (toBlock < range.toBlock) yield { toBlock: range.toBlock, events: [], share: 1 }
}

/**
 * A claim of a published record is settled: no event has revoked the record. Its time may lie above that of all blocks, so
 * that the writer must not wait for it.
 */
function withSettledClaim(event: DomainEvent): DomainEvent {
  if (event.kind !== 'attestationMade' || event.attestation.revocationAtRead.kind !== 'claimed') return event
  const revocationAtRead = { ...event.attestation.revocationAtRead, kind: 'supposed' } as const
  return { ...event, attestation: { ...event.attestation, revocationAtRead } }
}

/** The chain up to the end of a range, and the chunk that the range begins in. */
function partOf({ place, published }: ChainToReplay, { fromBlock, toBlock }: BlockRange) {
  const chunks = published.chunks.filter((chunk) => chunk.fromBlock <= toBlock)
  const firstChunk = chunks.findIndex((chunk) => chunk.toBlock >= fromBlock)
  return {
    chain: { place, published: { ...published, chunks, block: toBlock } },
    firstChunk: firstChunk === -1 ? chunks.length : firstChunk,
  }
}

function eventsWithin(
  events: readonly StoredEvent[],
  { fromBlock, toBlock }: BlockRange,
): readonly StoredEvent[] {
  const first = events.findIndex(({ event }) => positionBlock(event.position) >= fromBlock)
  return first === -1 ? [] : eventsUpTo(events.slice(first), toBlock)
}
