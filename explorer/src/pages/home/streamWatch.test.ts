import { expect, test } from 'vitest'
import { createStreamWatch } from './streamWatch.ts'

test('a stream that misses new attestations until the next check counts as dead', () => {
  const watch = createStreamWatch()
  expect([7, 7, 8, 8].map((count) => watch.look(count))).toEqual([false, false, false, true])
})

test('a stream is alive whose event comes before the look, or soon after it', () => {
  const watch = createStreamWatch()
  watch.look(7)
  watch.hear()
  expect(watch.look(8)).toBe(false)
  expect(watch.look(9)).toBe(false)
  watch.hear()
  expect([9, 9, 3].map((count) => watch.look(count))).toEqual([false, false, false])
})
