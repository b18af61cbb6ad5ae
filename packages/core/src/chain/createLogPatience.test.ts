import { expect, test } from 'vitest'
import { createLogPatience } from './createLogPatience.ts'

test('patience halves with each futile wait, down to zero, and is restored after an hour or a useful wait', () => {
  let nowMs = 0
  const patience = createLogPatience({ nowMs: () => nowMs })
  const waits: number[] = []
  while (patience.leftMs() > 0) {
    waits.push(patience.leftMs())
    patience.noteVain()
  }
  expect(waits).toEqual([4_000, 2_000, 1_000, 500, 250])
  nowMs += 3_599_999
  expect(patience.leftMs()).toBe(0)
  nowMs += 1
  expect(patience.leftMs()).toBe(4_000)
  patience.noteVain()
  patience.noteWorth()
  expect(patience.leftMs()).toBe(4_000)
})
