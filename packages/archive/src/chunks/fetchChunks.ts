import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import type { Chunk } from './manifest.ts'
import type { Place } from '../places/place.ts'

/** Chunks that are fetched at the same time, and the bytes that they may have together with those that wait. */
export interface FetchLimits {
  readonly atOnce: number
  readonly bytesMax: number
}

export const fetchLimits: FetchLimits = { atOnce: 8, bytesMax: 48 * 2 ** 20 }

/**
 * Fetches chunks in parallel and yields their files in order. A chunk is requested once its bytes fit beside those
 * in flight or waiting; one that is larger than the bound is fetched by itself.
 * @throws PlaceUnavailableError, ChunksRefusedError
 */
export async function* fetchChunks(
  place: Place,
  chunks: readonly Chunk[],
  { atOnce, bytesMax }: FetchLimits,
  signal: AbortSignal,
): AsyncGenerator<{ readonly chunk: Chunk; readonly file: Uint8Array }> {
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  const under: { readonly chunk: Chunk; readonly file: Promise<Uint8Array> }[] = []
  let bytes = 0
  let next = 0
  try {
    for (;;) {
      for (let chunk = chunks[next]; chunk !== undefined && under.length < atOnce; chunk = chunks[next]) {
        if (under.length > 0 && bytes + chunk.bytes > bytesMax) break
        const file = fetchChunk(place, chunk, either)
        // The failure of a later chunk is reported when its turn comes.
        file.catch(() => undefined)
        under.push({ chunk, file })
        bytes += chunk.bytes
        next += 1
      }
      const first = under.shift()
      if (first === undefined) return
      yield { chunk: first.chunk, file: await first.file }
      bytes -= first.chunk.bytes
    }
  } finally {
    ended.abort()
  }
}

async function fetchChunk(place: Place, chunk: Chunk, signal: AbortSignal): Promise<Uint8Array> {
  const file = await place.read(chunk.path, chunk.bytes, signal)
  if (file !== null) return file
  throw new ChunksRefusedError(
    `The chunk ${chunk.path} is missing in ${place.name}, whose manifest is older than its chunks or was put there before them: ` +
      `the first block that is missing is ${chunk.fromBlock}`,
    { facts: { block: chunk.fromBlock, path: chunk.path } },
  )
}
