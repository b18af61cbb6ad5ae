import { serialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { openChunk } from '../../chunks/chunkFile.ts'
import { packError } from '@attestry/core/errors/packError.ts'
import { returnMemoryAtRest } from '@attestry/host/returnMemory.ts'
import type { ChunkAnswer, ChunkQuestion } from './startChunkThread.ts'

/**
 * The body of the thread that reads chunks, while the thread that started it writes the events of the one before.
 * `startChunkThread` starts this thread.
 */
returnMemoryAtRest()

parentPort?.on('message', ({ id, file, chunk, chainId }: ChunkQuestion) => {
  try {
    send({ kind: 'read', id, content: openChunk(file, chunk, chainId, serialize) })
  } catch (error) {
    send({ kind: 'refused', id, error: packError(error) })
  }
})

function send(answer: ChunkAnswer): void {
  parentPort?.postMessage(answer)
}
