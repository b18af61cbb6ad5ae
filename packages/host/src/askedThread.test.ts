import { afterEach, beforeEach, expect, test } from 'vitest'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { startAskedThread, type AskedThread } from './askedThread.ts'

let thread: AskedThread<number, Float64Array>
beforeEach(() => {
  thread = startAskedThread(new URL('testing/halvingThread.ts', import.meta.url), 'halves numbers', {
    isVital: false,
  })
})
afterEach(() => thread.close())

test('each question gets its answer, or the error with its class', async () => {
  const asked = [2, 3, 4].map((number) => thread.ask(number))
  expect(await asked[0]).toEqual(new Float64Array([1]))
  await expect(asked[1]).rejects.toThrow(new StartError('3 is odd'))
  await expect(asked[1]).rejects.toBeInstanceOf(StartError)
  expect(await asked[2]).toEqual(new Float64Array([2]))
})

test('after the end of the thread all questions are refused', async () => {
  await thread.ask(2)
  await thread.close()
  await expect(thread.ask(4)).rejects.toThrow('The thread that halves numbers ended')
})

test('the failure of the thread is the reason', async () => {
  await thread.ask(0)
  await expect(async () => {
    for (;;) await thread.ask(2)
  }).rejects.toThrow('The thread that halves numbers failed: nothing to halve')
})
