import { setImmediate as nextTurn } from 'node:timers/promises'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import { formatCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import {
  isBornRevoked,
  type IndexRestore,
  type MovedDigest,
  type StoredEvent,
} from '@attestry/core/index/indexRestore.ts'
import { addBefore } from '@attestry/store/layout/chainDigest.ts'
import { addSums, emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import { fetchChunks, fetchLimits, type FetchLimits } from './fetchChunks.ts'
import { firstBlockOf, type Chunk, type PublishedChain } from './manifest.ts'
import type { ChunkContent } from './chunkFile.ts'
import type { Place } from '../places/place.ts'
import { createSpanSample, type SampledSpan } from './sampleSpans.ts'

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

export interface ReplayOptions {
  readonly chains: readonly ChainToReplay[]
  readonly restore: IndexRestore
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
  /** The time of storing of all records. */
  readonly storedAt: UnixMilliseconds
  /** Receives the events that were replayed so far, now and then. */
  readonly onProgress: (events: number) => void
  /** Is told when all events are loaded, and lists and counts are built of them. */
  readonly onBuild: (events: number) => void
  readonly signal: AbortSignal
  readonly limits?: FetchLimits
}

export interface ReplayedChain {
  readonly published: PublishedChain
  /** The spans that the chain has, and those of them that the endpoints were asked for. */
  readonly spans: number
  readonly compared: number
  /** Those of the compared spans that were drawn at random. */
  readonly drawn: number
  readonly withheld: number
}

/**
 * Fills an empty store with the chunks of chains. The store stays empty until all chunks are there and have the digests
 * of their manifest, and the endpoints agree with the sample. Any failure leaves it empty.
 * @throws ChunksRefusedError naming the first block that differs; PlaceUnavailableError.
 */
export async function replayChunks(options: ReplayOptions): Promise<readonly ReplayedChain[]> {
  const { restore, chains } = options
  try {
    const replayed: ReplayedChain[] = []
    let events = 0
    for (const chain of chains) {
      replayed.push(await replayChain(options, chain, (more) => options.onProgress((events += more))))
    }
    options.onBuild(events)
    await restore.finish()
    return replayed
  } catch (error) {
    await restore.abandon()
    throw error
  }
}

async function replayChain(
  options: ReplayOptions,
  { place, published }: ChainToReplay,
  onEvents: (events: number) => void,
): Promise<ReplayedChain> {
  const { restore, sampleSize, random, signal, limits = fetchLimits } = options
  const { chainId, name, contracts, block, timestamp } = published
  const sample = createSpanSample(firstBlockOf(contracts), sampleSize, random)
  await restore.openChain({ chainId, name, contracts })
  let sum: Uint8Array = emptyDigest
  for await (const { chunk, content } of readAhead(options, place, published, limits)) {
    signal.throwIfAborted()
    const before = sum
    sum = addSums(sum, content.sum)
    if (formatSum(sum) !== chunk.digest) throw await wrongDigest(options, published, chunk, content)
    for (const { events, digests } of content.steps) {
      refuseImpossible(options, published, chunk, events)
      sample.add(events)
      await applyStep(options, chainId, chunk, events, addBefore(digests, before))
      onEvents(events.length)
      // Signals are heard between two steps.
      await nextTurn()
      signal.throwIfAborted()
    }
  }
  await restore.closeChain(chainId, {
    checkpoint: { blockNumber: block, timestamp },
    rewindTo: null,
    recentBlocks: [],
  })
  const spans = sampleSize === 0 ? [] : sample.finish(block)
  const { first, withheld } =
    spans.length === 0 ? { first: null, withheld: 0 } : await options.check.compare(published, spans, signal)
  if (first !== null) throw differs(published, place, first)
  if (spans.length > 0 && withheld === spans.length) {
    throw new ChunksRefusedError(
      `The endpoints of chain ${chainId} no longer keep the logs of any of ${spans.length} sampled spans of blocks, so that nothing of ` +
        `${place.name} can be compared with the chain; add an endpoint that keeps old logs, or set chunks.sample to 0 to trust the publisher`,
      { facts: { chainId } },
    )
  }
  const compared = spans.length - withheld
  return { published, spans: sample.spans(), compared, drawn: Math.min(compared, sampleSize), withheld }
}

/**
 * The digest does not cover a revocation without an event, which depends on when the record was read.
 * @throws ChunksRefusedError if the contract of the protocol makes none.
 */
function refuseImpossible(
  { mayBeBornRevoked }: ReplayOptions,
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
  { openChunk, signal }: ReplayOptions,
  place: Place,
  { chainId, chunks }: PublishedChain,
  limits: FetchLimits,
): AsyncGenerator<{ readonly chunk: Chunk; readonly content: ChunkContent }> {
  let eventsBefore = 0
  let ahead: { readonly chunk: Chunk; readonly content: Promise<ChunkContent> } | null = null
  for await (const { chunk, file } of fetchChunks(place, chunks, limits, signal)) {
    const content = openChunk(file, chunk, chainId, eventsBefore)
    eventsBefore += chunk.events
    content.catch(() => undefined)
    if (ahead !== null) yield { chunk: ahead.chunk, content: await ahead.content }
    ahead = { chunk, content }
  }
  if (ahead !== null) yield { chunk: ahead.chunk, content: await ahead.content }
}

async function applyStep(
  { restore, storedAt }: ReplayOptions,
  chainId: ChainId,
  chunk: Chunk,
  events: readonly StoredEvent[],
  digests: MovedDigest,
): Promise<void> {
  try {
    await restore.applyEvents(
      chainId,
      events.map((stored) => ({ ...stored, storedAt, settled: settlementOf(stored, storedAt) })),
      digests,
    )
  } catch (error) {
    if (!(error instanceof StoreInvariantError)) throw error
    throw new ChunksRefusedError(
      `The chunk ${chunk.path} contradicts itself or an earlier one: ${asClause(describeError(error))}; ` +
        `the first block that may differ is ${chunk.fromBlock} of chain ${chainId}`,
      { cause: error, facts: { chainId, block: chunk.fromBlock } },
    )
  }
}

/** Claims of published records are settled; at which block, depends on who read the chain. */
function settlementOf({ event }: StoredEvent, storedAt: UnixMilliseconds): StoredEvent['settled'] {
  if (event.kind !== 'attestationMade' || event.attestation.revocationAtRead.kind !== 'claimed') return null
  return { block: positionBlock(event.position), storedAt }
}

/** The refusal of a chunk whose digest is not that of the manifest. The endpoints tell which block differs. */
async function wrongDigest(
  { check, signal }: ReplayOptions,
  published: PublishedChain,
  chunk: Chunk,
  { steps }: ChunkContent,
): Promise<ChunksRefusedError> {
  const { chainId } = published
  const what = `The records of the chunk ${chunk.path} do not have the digest of the manifest: a record was left out, added or changed`
  let where = `the first block that may differ is ${chunk.fromBlock} of chain ${chainId}`
  let block = chunk.fromBlock
  try {
    const { fromBlock, toBlock } = chunk
    const span = {
      fromBlock,
      toBlock,
      events: Array.from(steps, ({ events }) => events).flat(),
      hasRevocations: false,
    }
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
