import type { ChunkContent, ChunkStep } from '../../chunks/chunkFile.ts'
import type { OpenChunk } from '../../chunks/readChunks.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import { startAskedThread } from '@attestry/host/askedThread.ts'
import { youngGeneration } from '@attestry/host/collectEarly.ts'
import { unpackEvents } from './packEvents.ts'

/** A chunk to read. */
export type ChunkQuestion = Parameters<OpenChunk>

/** A thread that reads chunks. */
export interface ChunkThread {
  /** Rejects with a `StartError` if the thread has ended. */
  readonly openChunk: OpenChunk
  close(): Promise<void>
}

export function startChunkThread(): ChunkThread {
  const { ask, close } = startAskedThread<ChunkQuestion, ChunkContent<Uint8Array>>(
    moduleBeside(import.meta.url, './chunkThread'),
    'reads chunks',
    { resourceLimits: youngGeneration.fetching, isVital: true },
  )
  return {
    openChunk: async (...chunk) => {
      const { steps, sum } = await ask(chunk)
      return { steps: unpack(steps), sum }
    },
    close,
  }
}

/** Makes the events of each step when it is asked for. */
function unpack(steps: Iterable<ChunkStep<Uint8Array>>): ChunkContent['steps'] {
  return {
    *[Symbol.iterator]() {
      for (const { events, digests } of steps) {
        yield { events: unpackEvents(events), digests }
      }
    },
  }
}
