import { parentPort } from 'node:worker_threads'
import { openChunk } from '../../chunks/chunkFile.ts'
import { packError } from '@attestry/core/errors/packError.ts'
import { returnMemoryAtRest } from '@attestry/host/returnMemory.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { packEvents } from './packEvents.ts'
import type { ChunkAnswer, ChunkQuestion } from './startChunkThread.ts'

/**
 * The body of the thread that reads chunks, while the thread that started it writes the events of the one before.
 * `startChunkThread` starts this thread.
 */
returnMemoryAtRest()

parentPort?.on('message', ({ id, file, chunk, chainId, eventsBefore }: ChunkQuestion) => {
  try {
    const packed: ArrayBuffer[] = []
    const pack = (events: readonly StoredEvent[]) => {
      const bytes = packEvents(events)
      packed.push(bytes.buffer)
      return bytes
    }
    send({ kind: 'read', id, content: openChunk(file, chunk, chainId, eventsBefore, pack) }, packed)
  } catch (error) {
    send({ kind: 'refused', id, error: packError(error) })
  }
})

/** Hands over the bytes of packed events instead of copying them. */
function send(answer: ChunkAnswer, packed: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, packed)
}
