import { StartError } from '@attestry/core/errors/configErrors.ts'
import { answerQuestions } from '../askedThread.ts'

/** A thread that halves even numbers, refuses odd ones, and fails at 0. */
answerQuestions<number, Float64Array>((number, move) => {
  if (number % 2 !== 0) throw new StartError(`${number} is odd`)
  if (number === 0) {
    setImmediate(() => {
      throw new Error('nothing to halve')
    })
  }
  const half = new Float64Array([number / 2])
  move(half.buffer)
  return half
})
