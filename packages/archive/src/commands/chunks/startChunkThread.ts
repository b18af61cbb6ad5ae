import { Worker } from 'node:worker_threads'
import type { ChunkContent, ChunkStep } from '../../chunks/chunkFile.ts'
import type { Chunk } from '../../chunks/manifest.ts'
import type { OpenChunk } from '../../chunks/readChunks.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { unpackError, type PackedError } from '@attestry/core/errors/packError.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import { youngGeneration } from '@attestry/host/collectEarly.ts'
import { createOpenQuestions } from '@attestry/host/openQuestions.ts'
import { unpackEvents } from './packEvents.ts'

/** A chunk to read. */
export interface ChunkQuestion {
  readonly id: number
  readonly file: Uint8Array
  readonly chunk: Chunk
  readonly chainId: ChainId
  readonly eventsBefore: number
}

export type ChunkAnswer =
  | { readonly kind: 'read'; readonly id: number; readonly content: ChunkContent<Uint8Array> }
  | { readonly kind: 'refused'; readonly id: number; readonly error: PackedError }

/** A thread that reads chunks. */
export interface ChunkThread {
  /** Rejects with a `StartError` if the thread has ended. */
  readonly openChunk: OpenChunk
  close(): Promise<void>
}

type Outcome = ChunkAnswer | { readonly kind: 'lost'; readonly error: Error }

export function startChunkThread(): ChunkThread {
  const worker = new Worker(moduleBeside(import.meta.url, './chunkThread'), {
    resourceLimits: youngGeneration.fetching,
  })
  const questions = createOpenQuestions<Outcome>()
  let ended: Error | null = null
  worker.on('message', (answer: ChunkAnswer) => questions.answer(answer.id, answer))
  worker.on('error', (error) => {
    ended = new StartError(`The thread that reads chunks failed: ${describeError(error)}`, { cause: error })
  })
  worker.once('exit', () => {
    ended ??= new StartError('The thread that reads chunks ended')
    questions.answerAll({ kind: 'lost', error: ended })
  })
  return {
    openChunk: async (file, chunk, chainId, eventsBefore) => {
      if (ended !== null) throw ended
      const outcome = await questions.ask((id) =>
        worker.postMessage({ id, file, chunk, chainId, eventsBefore } satisfies ChunkQuestion),
      )
      if (outcome.kind === 'lost') throw outcome.error
      if (outcome.kind === 'refused') throw unpackError(outcome.error)
      const { steps, sum } = outcome.content
      return { steps: unpack(steps), sum }
    },
    close: async () => {
      await worker.terminate()
    },
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
