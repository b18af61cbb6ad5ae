/** Pending questions to another process or thread; question and answer carry the same number. */
export interface OpenQuestions<Answer> {
  /** Sends a question under a new number; resolves with the answer. */
  ask(send: (id: number) => void): Promise<Answer>
  answer(id: number, answer: Answer): void
  /** Gives the same answer to all pending questions. */
  answerAll(answer: Answer): void
}

export function createOpenQuestions<Answer>(): OpenQuestions<Answer> {
  const open = new Map<number, (answer: Answer) => void>()
  let last = 0
  return {
    ask: (send) =>
      new Promise((resolve) => {
        last += 1
        open.set(last, resolve)
        send(last)
      }),
    answer: (id, answer) => {
      open.get(id)?.(answer)
      open.delete(id)
    },
    answerAll: (answer) => {
      for (const resolve of open.values()) resolve(answer)
      open.clear()
    },
  }
}
