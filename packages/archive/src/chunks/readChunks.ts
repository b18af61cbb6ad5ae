import { setImmediate as nextTurn } from 'node:timers/promises'
import { ChunksRefusedError, ChunksUnprovenError } from '@attestry/core/errors/chunkErrors.ts'
import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
import { formatCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { isBornRevoked, type MovedDigest, type StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { addBefore } from '@attestry/store/layout/chainDigest.ts'
import { addSums, emptyDigest, formatSum, parseSum } from '@attestry/store/layout/eventDigest.ts'
import { fetchChunks, fetchLimits, type FetchLimits } from './fetchChunks.ts'
import type { Chunk, PublishedChain } from './manifest.ts'
import type { ChunkContent } from './chunkFile.ts'
import type { Place } from '../places/place.ts'
import type { SampledSpan, SpanSample } from './sampleSpans.ts'

/** A chain of a manifest, and the place of its chunks. */
export interface ChainToReplay {
  readonly place: Place
  readonly published: PublishedChain
}

/** Compares blocks with the operator's own endpoints. */
export interface ChainCheck {
  /** The first block, ascending, whose events are others on the chain; null where all spans are the chain's. */
  compare(chain: PublishedChain, spans: readonly SampledSpan[], signal: AbortSignal): Promise<Comparison>
}

export interface Comparison {
  /** The first block that differs, and one sentence about it. */
  readonly first: { readonly block: number; readonly text: string } | null
  /** Spans that were not compared, since no endpoint keeps the logs of their blocks. */
  readonly withheld: number
}

/** Reads the file of a chunk, as `openChunk` does. */
export type OpenChunk = (
  file: Uint8Array,
  chunk: Chunk,
  chainId: ChainId,
  eventsBefore: number,
) => Promise<ChunkContent>

/** The checks of chunks while they are read. */
export interface ChunkChecks {
  readonly openChunk: OpenChunk
  readonly check: ChainCheck
  /** Whether the attestations of a protocol may be revoked without an event that says so. */
  readonly mayBeBornRevoked: (protocol: ProtocolName) => boolean
  /**
   * Spans of blocks of each chain that the endpoints are asked for at random, beside those with records that are revoked
   * without an event; 0: none.
   */
  readonly sampleSize: number
  readonly random: () => number
  readonly signal: AbortSignal
  readonly limits?: FetchLimits
}

/** Events of whole blocks of a chunk. */
export interface ReadStep {
  readonly chunk: Chunk
  readonly events: readonly StoredEvent[]
  /** The digests of the chain after these events. */
  readonly digests: MovedDigest
}

/**
 * Reads the chunks of a chain from one of them on. The events of each have the digest of the manifest; only
 * `compareSample` finds out whether they are the chain's.
 * @throws ChunksRefusedError naming the first block that differs; PlaceUnavailableError.
 */
export async function* readSteps(
  checks: ChunkChecks,
  { place, published }: ChainToReplay,
  firstChunk = 0,
): AsyncGenerator<ReadStep> {
  const before = published.chunks.slice(0, firstChunk)
  const last = before.at(-1)
  let sum = last === undefined ? emptyDigest : parseSum(last.digest)
  const events = before.reduce((count, chunk) => count + chunk.events, 0)
  const chunks = published.chunks.slice(firstChunk)
  for await (const { chunk, content } of readAhead(checks, place, published.chainId, chunks, events)) {
    checks.signal.throwIfAborted()
    const sumBefore = sum
    sum = addSums(sum, content.sum)
    if (formatSum(sum) !== chunk.digest) throw await wrongDigest(checks, published, chunk, content)
    for (const { events, digests } of content.steps) {
      refuseImpossible(checks, published, chunk, events)
      yield { chunk, events, digests: addBefore(digests, sumBefore) }
      // Signals are heard between two steps.
      await nextTurn()
      checks.signal.throwIfAborted()
    }
  }
}

/** The comparison of the sample of a chain. */
export interface ComparedSample {
  /** The spans that the chain has, and those of them that the endpoints were asked for. */
  readonly spans: number
  readonly compared: number
  /** Those of the compared spans that were drawn at random. */
  readonly drawn: number
  readonly withheld: number
}

/**
 * Compares the sample of the blocks up to `published.block` with the chain.
 * @throws ChunksRefusedError naming the first block that differs; ChunksUnprovenError if nothing could be compared.
 */
export async function compareSample(
  { check, sampleSize, signal }: ChunkChecks,
  { place, published }: ChainToReplay,
  sample: SpanSample,
): Promise<ComparedSample> {
  const { chainId, block } = published
  const spans = sampleSize === 0 ? [] : sample.finish(block)
  const { first, withheld } =
    spans.length === 0 ? { first: null, withheld: 0 } : await check.compare(published, spans, signal)
  if (first !== null) throw differs(published, place, first)
  if (spans.length > 0 && withheld === spans.length) {
    throw new ChunksUnprovenError(
      `The endpoints of chain ${chainId} no longer keep the logs of any of ${spans.length} sampled spans of blocks, so that nothing of ` +
        `${place.name} can be compared with the chain; add an endpoint that keeps old logs, or set chunks.sample to 0 to trust the publisher`,
      { facts: { chainId } },
    )
  }
  const compared = spans.length - withheld
  return { spans: sample.spans(), compared, drawn: Math.min(compared, sampleSize), withheld }
}

/**
 * The digest does not cover a revocation without an event, which depends on when the record was read.
 * @throws ChunksRefusedError if the contract of the protocol makes none.
 */
function refuseImpossible(
  { mayBeBornRevoked }: ChunkChecks,
  { chainId }: PublishedChain,
  chunk: Chunk,
  events: readonly StoredEvent[],
): void {
  for (const stored of events) {
    const { event } = stored
    if (!isBornRevoked(stored) || event.kind !== 'attestationMade') continue
    const { protocol, key, position } = event.attestation
    if (mayBeBornRevoked(protocol)) continue
    const block = positionBlock(position)
    throw new ChunksRefusedError(
      `The chunk ${chunk.path} has ${formatCompositeId(key)} as revoked without a revocation, which no contract of ` +
        `${protocol} does: the first block that differs is ${block} of chain ${chainId}`,
      { facts: { chainId, block, path: chunk.path } },
    )
  }
}

/** Reads one chunk while the one before is written. */
async function* readAhead(
  { openChunk, signal, limits = fetchLimits }: ChunkChecks,
  place: Place,
  chainId: ChainId,
  chunks: readonly Chunk[],
  eventsBefore: number,
): AsyncGenerator<{ readonly chunk: Chunk; readonly content: ChunkContent }> {
  let before = eventsBefore
  let ahead: { readonly chunk: Chunk; readonly content: Promise<ChunkContent> } | null = null
  for await (const { chunk, file } of fetchChunks(place, chunks, limits, signal)) {
    const content = openChunk(file, chunk, chainId, before)
    before += chunk.events
    content.catch(() => undefined)
    if (ahead !== null) yield { chunk: ahead.chunk, content: await ahead.content }
    ahead = { chunk, content }
  }
  if (ahead !== null) yield { chunk: ahead.chunk, content: await ahead.content }
}

/** The refusal of a chunk whose digest is not that of the manifest. The endpoints tell which block differs. */
async function wrongDigest(
  { check, signal }: ChunkChecks,
  published: PublishedChain,
  chunk: Chunk,
  { steps }: ChunkContent,
): Promise<ChunksRefusedError> {
  const { chainId } = published
  const what = `The records of the chunk ${chunk.path} do not have the digest of the manifest: a record was left out, added or changed`
  let where = `the first block that may differ is ${chunk.fromBlock} of chain ${chainId}`
  let block = chunk.fromBlock
  try {
    const toBlock = Math.min(chunk.toBlock, published.block)
    const events = Array.from(steps, ({ events }) => eventsUpTo(events, toBlock)).flat()
    const span = { fromBlock: chunk.fromBlock, toBlock, events, hasRevocations: false }
    const { first } = await check.compare(published, [span], signal)
    if (first !== null) {
      where = `the first block that differs is ${first.block} of chain ${chainId}: ${asClause(first.text)}`
      ;({ block } = first)
    }
  } catch (error) {
    // Without an endpoint, the error names only the chunk.
    signal.throwIfAborted()
    where += ` (the endpoints do not tell more: ${asClause(describeError(error))})`
  }
  return new ChunksRefusedError(`${what}; ${where}`, { facts: { chainId, block } })
}

function differs(
  { chainId }: PublishedChain,
  { name }: Place,
  { block, text }: NonNullable<Comparison['first']>,
): ChunksRefusedError {
  return new ChunksRefusedError(
    `The chunks of ${name} are not what chain ${chainId} says: the first sampled block that differs is ${block}: ${asClause(text)}`,
    { facts: { chainId, block } },
  )
}

/** The events of the blocks up to one of them, from events in their order. */
export function eventsUpTo(events: readonly StoredEvent[], toBlock: number): readonly StoredEvent[] {
  const end = events.findIndex(({ event }) => positionBlock(event.position) > toBlock)
  return end === -1 ? events : events.slice(0, end)
}
