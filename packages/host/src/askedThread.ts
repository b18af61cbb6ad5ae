import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { packError, unpackError, type PackedError } from '@attestry/core/errors/packError.ts'
import { createOpenQuestions } from './openQuestions.ts'

/** A thread that answers questions, one after the other. */
export interface AskedThread<Question, Answer> {
  /** Rejects with the error of the answer, or with a `StartError` if the thread has ended. */
  ask(question: Question): Promise<Answer>
  close(): Promise<void>
}

interface Asked<Question> {
  readonly id: number
  readonly question: Question
}

/** `error`: of the thread as of the answer. */
type Outcome<Answer> = { readonly answer: Answer } | { readonly error: PackedError }

/**
 * Starts a thread whose body is `answerQuestions`.
 * @param task what the thread does, for messages: `reads chunks`.
 * @param isVital whether the thread keeps the process alive.
 */
export function startAskedThread<Question, Answer>(
  module: URL,
  task: string,
  { isVital, ...options }: WorkerOptions & { readonly isVital: boolean },
): AskedThread<Question, Answer> {
  const worker = new Worker(module, options)
  if (!isVital) worker.unref()
  const questions = createOpenQuestions<Outcome<Answer>>()
  let ended: Error | null = null
  worker.on('message', ({ id, ...outcome }: Outcome<Answer> & { readonly id: number }) =>
    questions.answer(id, outcome),
  )
  worker.on('error', (error) => {
    ended = new StartError(`The thread that ${task} failed: ${describeError(error)}`, { cause: error })
  })
  worker.once('exit', () => {
    ended ??= new StartError(`The thread that ${task} ended`)
    questions.answerAll({ error: packError(ended) })
  })
  return {
    ask: async (question) => {
      if (ended !== null) throw ended
      const outcome = await questions.ask((id) =>
        worker.postMessage({ id, question } satisfies Asked<Question>),
      )
      if ('error' in outcome) throw unpackError(outcome.error)
      return outcome.answer
    },
    close: async () => {
      await worker.terminate()
    },
  }
}

/**
 * Answers the questions that `startAskedThread` sends to this thread.
 * @param answer may move buffers of its answer to the asking thread instead of copying them.
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, move: (buffer: ArrayBuffer) => void) => Answer,
): void {
  parentPort?.on('message', ({ id, question }: Asked<Question>) => {
    const moved: ArrayBuffer[] = []
    try {
      const found = answer(question, (buffer) => moved.push(buffer))
      parentPort?.postMessage({ id, answer: found }, moved)
    } catch (error) {
      parentPort?.postMessage({ id, error: packError(error) })
    }
  })
}
