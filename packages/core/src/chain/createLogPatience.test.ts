import { expect, test } from 'vitest'
import { createLogPatience } from './createLogPatience.ts'

test('patience halves with each wait in vain, down to zero, and is whole again after an hour or a wait of use', () => {
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
