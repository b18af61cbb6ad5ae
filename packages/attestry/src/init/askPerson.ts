import { createInterface } from 'node:readline/promises'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { Ask } from './runInit.ts'

/**
 * Runs `use` with a function that asks on the terminal; null if standard input is not a terminal. Questions go to
 * standard error. The function throws `StartError` when the person ends the input, by Ctrl-C or Ctrl-D.
 */
export async function askPerson<Result>(use: (ask: Ask | null) => Promise<Result>): Promise<Result> {
  if (!process.stdin.isTTY) return use(null)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // The iterator keeps lines that come before their question, as where somebody pastes several.
  const answers = lines[Symbol.asyncIterator]()
  try {
    return await use(async (question) => {
      lines.setPrompt(question)
      lines.prompt()
      const answer = await answers.next()
      if (answer.done !== true) return answer.value
      process.stderr.write('\n')
      throw new StartError('The answers ended early, and nothing was written')
    })
  } finally {
    lines.close()
  }
}
