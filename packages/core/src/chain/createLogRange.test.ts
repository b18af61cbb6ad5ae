import { expect, test } from 'vitest'
import { createLogRange } from './createLogRange.ts'

test('the range doubles until a first refusal, then grows by a constant', () => {
  const range = createLogRange(100, 100_000)
  for (let i = 0; i < 5; i++) range.succeed(range.width(), range.width(), true)
  expect(range.width()).toBe(3200)
  range.shrink(3200, null, false)
  expect(range.width()).toBe(1600)
  range.succeed(1600, 1600, true)
  expect(range.width()).toBe(1650)
  range.succeed(1650, 1650, true)
  expect(range.width()).toBe(1701)
})

test('a range that fell to one block recovers in some thirty successes', () => {
  const range = createLogRange(2000, 100_000)
  range.succeed(2000, 2000, true)
  while (range.width() > 1) range.shrink(range.width(), null, false)
  for (let i = 0; i < 33; i++) range.succeed(range.width(), range.width(), true)
  expect(range.width()).toBeGreaterThan(2000)
})

test('a range limit that the error names is kept, a temporary limit is not', () => {
  const range = createLogRange(10_000, 100_000)
  expect(range.shrink(10_000, 500, true)).toBe(true)
  expect(range.width()).toBe(500)
  range.succeed(500, 500, true)
  expect(range.width()).toBe(500)
  expect(range.shrink(500, 100, false)).toBe(false)
  expect(range.width()).toBe(100)
  for (let i = 0; i < 100; i++) range.succeed(range.width(), range.width(), true)
  expect(range.width()).toBe(500)
})

test('neither a heavy answer nor one to a narrower request widens the range', () => {
  const range = createLogRange(100, 1000)
  range.succeed(100, 100, false)
  range.succeed(99, 100, true)
  expect(range.width()).toBe(100)
})

test('the range never leaves one block to its maximum', () => {
  const range = createLogRange(100, 150)
  range.succeed(100, 100, true)
  expect(range.width()).toBe(150)
  range.shrink(1, null, false)
  expect(range.width()).toBe(1)
})

test('each concurrent success widens the range, and none doubles it twice', () => {
  const range = createLogRange(100, 100_000)
  for (let i = 0; i < 4; i++) range.succeed(100, 100, true)
  expect(range.width()).toBe(200)
  range.succeed(200, 200, true)
  range.shrink(400, null, false)
  expect(range.width()).toBe(200)
  for (let i = 0; i < 4; i++) range.succeed(200, 200, true)
  expect(range.width()).toBe(224)
})
