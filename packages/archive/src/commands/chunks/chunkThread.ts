import { openChunk, type ChunkContent } from '../../chunks/chunkFile.ts'
import { answerQuestions } from '@attestry/host/askedThread.ts'
import { returnMemoryAtRest } from '@attestry/host/returnMemory.ts'
import { packEvents } from './packEvents.ts'
import type { ChunkQuestion } from './startChunkThread.ts'

/**
 * The body of the thread that reads chunks, while the thread that started it writes the events of the one before.
 * `startChunkThread` starts this thread.
 */
returnMemoryAtRest()

answerQuestions<ChunkQuestion, ChunkContent<Uint8Array>>(([file, chunk, chainId, eventsBefore], move) =>
  openChunk(file, chunk, chainId, eventsBefore, (events) => {
    const bytes = packEvents(events)
    move(bytes.buffer)
    return bytes
  }),
)
