import { expect, test } from 'vitest'
import { createHeldAnswers } from './heldAnswers.ts'

test('gives up the longest answer where all together hold too much', () => {
  const held = createHeldAnswers(100)
  const [hostile, honest] = [held.begin(), held.begin()]
  expect(hostile.add(80)).toBe(true)
  expect(honest.add(10)).toBe(true)
  expect(honest.add(20)).toBe(true)
  expect(hostile.add(1)).toBe(false)
  hostile.end()
  hostile.end()
  expect(honest.add(70)).toBe(true)
  expect(honest.add(1)).toBe(false)
})
