import { AttestryError, asClause, describeError } from '@attestry/core/errors/baseError.ts'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import {
  hindranceOf,
  historyInParts,
  type ChainHistory,
  type HistoryReads,
} from '@attestry/core/index/chainHistory.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { sortContracts } from '@attestry/store/layout/contracts.ts'
import { addToDigest, digestVersion, emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import { parseExportLine } from '@attestry/store/transfer/parseExportLine.ts'
import { packChunk } from './chunkFile.ts'
import {
  chunkTextBytes,
  createManifest,
  firstBlockOf,
  manifestBytesMax,
  manifestPath,
  readManifest,
  type Chunk,
  type Manifest,
  type PublishedChain,
} from './manifest.ts'
import type { WritablePlace } from '../places/place.ts'
import { openSealed, sealManifest, type SigningKey } from './signature.ts'

/** A chain to publish. */
export interface ChainToPublish {
  readonly chainId: ChainId
  /** The blocks below the newest indexed one that may still change. */
  readonly finality: number
  /** Whether records have the senders of their transactions. */
  readonly transactionSenders: boolean
}

export interface PublishOptions {
  readonly reader: Pick<IndexReader, 'findDigest'> & HistoryReads
  readonly chains: readonly ChainToPublish[]
  readonly place: WritablePlace
  /** The version of this program. */
  readonly program: string
  /** The key that signs the manifest, where there is one. */
  readonly key: SigningKey | null
  /** A chunk is cut at the end of the block in which its text reaches this length. */
  readonly textLength?: number
  readonly signal: AbortSignal
}

/** The result of a publication for one chain. */
export interface ChainPublication {
  readonly chainId: ChainId
  /** The last block that is published; null if none is. */
  readonly block: number | null
  readonly events: number
  readonly chunks: number
  /** Chunks that were written. */
  readonly written: number
  /** Why the chain is not published any further; null if it is. */
  readonly hindrance: string | null
}

/**
 * Publishes the final blocks of chains: adds chunks with the blocks that are new, then puts the manifest in place.
 * Chunks are immutable, since their path has their hash. Readers see the manifest before or this one, and both have
 * their chunks: what a new chunk replaces is deleted with the next publication. A publication that was interrupted has
 * left chunks that the next one finds and does not write again. A chain that cannot be published further keeps
 * the chunks that it has.
 * @throws PlaceUnavailableError, ChunksRefusedError for a manifest that cannot be read.
 */
export async function publishChunks(options: PublishOptions): Promise<readonly ChainPublication[]> {
  const { place, chains, program, key, signal } = options
  const before = await fetchOwnManifest(place, signal)
  const published = new Map(before?.chains.map((chain) => [chain.chainId, chain]))
  const done: ChainPublication[] = []
  for (const chain of chains) {
    const known = published.get(chain.chainId) ?? null
    const { made, written, hindrance } = await publishChain(options, chain, known)
    if (made !== null) published.set(chain.chainId, made)
    done.push({
      chainId: chain.chainId,
      block: made?.block ?? null,
      events: made?.events ?? 0,
      chunks: made?.chunks.length ?? 0,
      written,
      hindrance,
    })
  }
  const now = [...published.values()].sort((a, b) => a.chainId - b.chainId)
  const used = new Set(now.flatMap(({ chunks }) => chunks.map(({ path }) => path)))
  const superseded = pathsOf(before).filter((path) => !used.has(path))
  const text = sealManifest(createManifest(program, now, superseded), key)
  await place.write(manifestPath, Buffer.from(text), signal)
  const gone = (before?.superseded ?? []).filter((path) => !used.has(path) && !superseded.includes(path))
  for (const path of gone) await place.remove(path, signal)
  return done
}

function pathsOf(manifest: Manifest | null): readonly string[] {
  return manifest?.chains.flatMap(({ chunks }) => chunks.map(({ path }) => path)) ?? []
}

async function fetchOwnManifest(place: WritablePlace, signal: AbortSignal): Promise<Manifest | null> {
  const bytes = await place.read(manifestPath, manifestBytesMax, signal)
  // The signature is that of an earlier run, maybe by another key; each chunk is compared with the index.
  return bytes === null ? null : readManifest(openSealed(bytes, null, place.name), place.name)
}

interface Published {
  readonly made: PublishedChain | null
  readonly written: number
  readonly hindrance: string | null
}

async function publishChain(
  options: PublishOptions,
  chain: ChainToPublish,
  known: PublishedChain | null,
): Promise<Published> {
  try {
    return await extendChain(options, chain, known)
  } catch (error) {
    // Of a chain that the index contradicts, nothing new is published; the other chains are.
    if (!(error instanceof ChunksRefusedError)) throw error
    return { made: known, written: 0, hindrance: asClause(describeError(error)) }
  }
}

async function extendChain(
  options: PublishOptions,
  { chainId, finality, transactionSenders }: ChainToPublish,
  known: PublishedChain | null,
): Promise<Published> {
  const { reader, signal } = options
  const hold = (hindrance: string): Published => ({ made: known, written: 0, hindrance })
  const kept = await findKept(options, chainId, transactionSenders, known)
  const last = kept.at(-1)
  const fromBlock = last === undefined ? 0 : last.toBlock + 1
  let state: ChainHistory | null = null
  let writer: ChunkWriter | null = null
  for await (const { chain, events, end } of historyInParts(reader, { chainId, finality, fromBlock })) {
    signal.throwIfAborted()
    const hindrance = hindranceOf(chain, known?.block ?? -1, 'the published block')
    if (hindrance !== null) return hold(hindrance)
    const firstBlock = firstBlockOf([...chain.contracts])
    if (chain.toBlock < firstBlock) return hold('no block is final yet')
    state = chain
    writer ??= createChunkWriter(options, chainId, firstBlock, kept)
    for (const { block, line } of events) {
      if (writer.isFullBefore(block)) await writer.cut(block - 1)
      writer.add(block, line)
    }
    const { toBlock, digest } = end ?? chain
    if (writer.digest() !== digest?.value || writer.events() !== digest.eventCount) {
      throw new ChunksRefusedError(
        `The events of chain ${chainId} up to block ${toBlock} do not have the digest that the index says; attestry verify finds out why`,
        { facts: { chainId } },
      )
    }
  }
  if (state === null || writer === null) return hold('the chain is not indexed here')
  if (writer.hasLines()) await writer.cut(state.toBlock)
  const { name, contracts, toBlock: block, timestamp } = state
  const made = {
    chainId,
    name,
    contracts: [...contracts],
    transactionSenders,
    block,
    timestamp,
    events: writer.events(),
    digest: writer.digest(),
    chunks: [...writer.chunks],
  }
  return { made, written: writer.written(), hindrance: null }
}

/**
 * The chunks that stay: as many as the index still says, without a last one that has room for more. A repair of the
 * index, or another set of contracts, may have changed old blocks.
 */
async function findKept(
  { reader, place, signal, textLength = chunkTextBytes }: PublishOptions,
  chainId: ChainId,
  transactionSenders: boolean,
  known: PublishedChain | null,
): Promise<readonly Chunk[]> {
  const newest = await reader.findDigest(chainId, null)
  if (known === null || newest === null || known.transactionSenders !== transactionSenders) return []
  const isSame =
    JSON.stringify(sortContracts(known.contracts)) === JSON.stringify(sortContracts(newest.contracts))
  if (!isSame) return []
  const kept: Chunk[] = []
  for (const chunk of known.chunks) {
    const found = await reader.findDigest(chainId, chunk.toBlock)
    if (found?.asked?.value !== chunk.digest) break
    if ((await place.measure(chunk.path, signal)) !== chunk.bytes) break
    kept.push(chunk)
  }
  const last = kept.at(-1)
  if (last !== undefined && last.textBytes < textLength / 2) kept.pop()
  return kept
}

/** Gathers the lines of a chain, and writes chunks of them. */
interface ChunkWriter {
  readonly chunks: readonly Chunk[]
  /** Whether the lines fill a chunk, and `block` is another block than that of the last line. */
  isFullBefore(block: number): boolean
  add(block: number, line: string): void
  hasLines(): boolean
  /** Writes a chunk of the gathered lines, up to `toBlock`. */
  cut(toBlock: number): Promise<void>
  /** Of all chunks and the gathered lines. */
  digest(): string
  events(): number
  /** Chunks that were not there before. */
  written(): number
}

function createChunkWriter(
  { place, signal, textLength: lengthMax = chunkTextBytes }: PublishOptions,
  chainId: ChainId,
  firstBlock: number,
  kept: readonly Chunk[],
): ChunkWriter {
  const chunks = [...kept]
  const lastKept = kept.at(-1)
  let sum: Uint8Array = lastKept === undefined ? emptyDigest : Buffer.from(lastKept.digest.slice(2), 'hex')
  let lines: string[] = []
  /** Events of lines whose hashes the sum lacks. */
  let unsummed: DomainEvent[] = []
  let textLength = 0
  let lastBlock = -1
  let written = 0

  function digest(): string {
    sum = addToDigest(sum, unsummed)
    unsummed = []
    return formatSum(sum)
  }

  return {
    chunks,
    digest,
    events: () => chunks.reduce((total, chunk) => total + chunk.events, lines.length),
    written: () => written,
    hasLines: () => lines.length > 0,
    isFullBefore: (block) => textLength >= lengthMax && block !== lastBlock,
    add: (block, line) => {
      unsummed.push(readEvent(chainId, line))
      if (unsummed.length >= 1_000) digest()
      lines.push(line)
      textLength += line.length + 1
      lastBlock = block
    },
    cut: async (toBlock) => {
      const { file, sha256, textBytes } = await packChunk(lines)
      const fromBlock = (chunks.at(-1)?.toBlock ?? firstBlock - 1) + 1
      const path = `${chainId}/${fromBlock}-${toBlock}-${sha256.slice(0, 16)}.ndjson.zst`
      // A publication that was interrupted has written it.
      if ((await place.measure(path, signal)) !== file.length) {
        await place.write(path, file, signal)
        written += 1
      }
      chunks.push({
        path,
        fromBlock,
        toBlock,
        events: lines.length,
        digest: digest(),
        sha256,
        bytes: file.length,
        textBytes,
      })
      lines = []
      textLength = 0
    },
  }
}

/** The event of a line, as whoever replays the line reads it. */
function readEvent(chainId: ChainId, line: string): DomainEvent {
  try {
    const parsed = parseExportLine(line, 0)
    if (parsed.kind === 'event') return parsed.stored.event
  } catch (error) {
    if (!(error instanceof AttestryError)) throw error
    throw new ChunksRefusedError(
      `A row of chain ${chainId} cannot be read, so that nothing is published of the chain; attestry verify says which: ${describeError(error)}`,
      { cause: error },
    )
  }
  throw new ChunksRefusedError(`A row of chain ${chainId} is no event; attestry verify says which`)
}

/**
 * The manifest of a place.
 * @throws PlaceUnavailableError if there is no manifest; ChunksRefusedError if it cannot be believed.
 */
export async function fetchManifest(
  place: Pick<WritablePlace, 'name' | 'read'>,
  trusted: string | null,
  signal: AbortSignal,
): Promise<Manifest> {
  const bytes = await place.read(manifestPath, manifestBytesMax, signal)
  if (bytes !== null) return readManifest(openSealed(bytes, trusted, place.name), place.name)
  throw new PlaceUnavailableError(
    `There is no ${manifestPath} in ${place.name}; attestry publish --to writes one, with digests of version ${digestVersion}`,
  )
}
