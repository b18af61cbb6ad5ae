import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompressSync } from 'node:zlib'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { standsBeside } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { MovedDigest, RunningDigest, StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { extendDigest, noDigest } from '@attestry/store/layout/chainDigest.ts'
import { parseExportLine } from '@attestry/store/transfer/parseExportLine.ts'
import { chunkTextBytes, type Chunk } from './manifest.ts'

const lineEnd = 0x0a

/** A publisher cuts its text after the block that reaches `chunkTextBytes`; versions may count otherwise. */
const firstBlocksBytesMax = 4 * chunkTextBytes

const compress = promisify(zstdCompress)

/** The file of a chunk: lines of NDJSON in zstd. */
export interface ChunkFile {
  readonly file: Uint8Array
  readonly sha256: string
  readonly textBytes: number
}

/** Makes the file of lines. The same lines give the same file, with one version of zstd. */
export async function packChunk(lines: readonly string[]): Promise<ChunkFile> {
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const file = await compress(text)
  return { file, sha256: hash('sha256', file), textBytes: text.length }
}

/** The events of a chunk, in steps of whole blocks, and the digest of only these events. */
export interface ChunkContent<Events = readonly StoredEvent[]> {
  readonly steps: Iterable<ChunkStep<Events>>
  readonly sum: Uint8Array
}

/** Events of whole blocks. The sums of their digests are those of only the events of the chunk. */
export interface ChunkStep<Events = readonly StoredEvent[]> {
  readonly events: Events
  readonly digests: MovedDigest
}

/** Events of a step: few enough that their objects die young. */
const eventsPerStep = 1_000

/**
 * Reads the file of a chunk. Nothing of it is believed: its hash and size are those of the manifest, and each event is
 * of the chain, in the range of the chunk, and behind the one before. `pack` packs the events of a step; the objects of a
 * whole chunk are never held at once.
 * @param eventsBefore the number of events of the chain before the chunk, by which digests are kept.
 * @throws ChunksRefusedError naming the first block that differs, or may.
 */
export function openChunk<Events>(
  file: Uint8Array,
  chunk: Chunk,
  chainId: ChainId,
  eventsBefore: number,
  pack: (events: readonly StoredEvent[]) => Events,
): ChunkContent<Events> {
  const refuse = (what: string, block: number, cause?: unknown) =>
    new ChunksRefusedError(
      `The chunk ${chunk.path} ${what}: the first block that may differ is ${block} of chain ${chainId}`,
      { facts: { chainId, block, path: chunk.path }, ...(cause === undefined ? {} : { cause }) },
    )
  if (hash('sha256', file) !== chunk.sha256) {
    throw refuse('is not the one of the manifest, which has another SHA-256', chunk.fromBlock)
  }
  const text = unpack(file, chunk, refuse)
  const steps: ChunkStep<Events>[] = []
  let digest: RunningDigest = { ...noDigest, events: eventsBefore }
  let events: StoredEvent[] = []
  const endStep = () => {
    const bare = events.map(({ event }) => event)
    const digests = extendDigest(digest, bare, reached)
    ;({ digest } = digests)
    steps.push({ events: pack(events), digests })
    events = []
  }
  let previous: StoredEvent['event'] | undefined
  let lastPosition = -1
  let reached = chunk.fromBlock
  let number = 0
  // Lines are cut one by one: 8 KiB unpack to 255 MiB of line ends, and a list of as many lines ends the process.
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf(lineEnd, start)
    if (end === -1) throw refuse('ends within a line', chunk.fromBlock)
    number += 1
    if (number > chunk.events)
      throw refuse(`has more than the ${chunk.events} events of the manifest`, reached)
    const line = text.toString('utf8', start, end)
    const parsed = parse(line, number, (what, cause) => refuse(what, reached, cause))
    if (parsed.chainId !== chainId) throw refuse(`has an event of chain ${parsed.chainId}`, reached)
    const { position } = parsed.stored.event
    const block = positionBlock(position)
    if (start > firstBlocksBytesMax && block !== reached) {
      throw refuse(`has more than ${firstBlocksBytesMax} bytes of text before its last block`, reached)
    }
    if (block < chunk.fromBlock || block > chunk.toBlock) {
      throw refuse(
        `has an event of block ${block}, but is of the blocks ${chunk.fromBlock} to ${chunk.toBlock}`,
        reached,
      )
    }
    if (position <= lastPosition && !standsBeside(parsed.stored.event, previous)) {
      throw refuse('has events out of order', block)
    }
    if (events.length >= eventsPerStep && block !== reached) endStep()
    lastPosition = position
    previous = parsed.stored.event
    reached = block
    events.push(parsed.stored)
  }
  if (number !== chunk.events) {
    throw refuse(`has ${number} events, but ${chunk.events} by the manifest`, chunk.fromBlock)
  }
  if (events.length > 0) endStep()
  return { steps, sum: digest.sum }
}

type Refuse = (what: string, block: number, cause?: unknown) => ChunksRefusedError

function unpack(file: Uint8Array, { textBytes, fromBlock }: Chunk, refuse: Refuse): Buffer {
  let text: Buffer
  try {
    // The limit holds before memory is taken for more. Pieces of the default size would be copied together.
    const maxOutputLength = Math.max(1, textBytes)
    text = zstdDecompressSync(file, {
      maxOutputLength,
      chunkSize: Math.max(64, Math.min(maxOutputLength, firstBlocksBytesMax)),
    })
  } catch (error) {
    throw refuse(`is no text of ${textBytes} bytes in zstd`, fromBlock, error)
  }
  if (text.length !== textBytes)
    throw refuse(`has ${text.length} bytes of text, but ${textBytes} by the manifest`, fromBlock)
  if (!isUtf8(text)) throw refuse('is no UTF-8 text', fromBlock)
  return text
}

function parse(line: string, number: number, refuse: (what: string, cause?: unknown) => ChunksRefusedError) {
  try {
    const parsed = parseExportLine(line, number)
    if (parsed.kind === 'event') return parsed
  } catch (error) {
    if (!(error instanceof ExportDamagedError)) throw error
    throw refuse(`cannot be read: ${describeError(error).replace(' of the export', '')}`, error)
  }
  throw refuse(`has no event in line ${number}`)
}
