import { expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { createTotals } from './createTotals.ts'

test('totals are counted one after another, and refused once they have taken their time', async () => {
  let nowMs = 0
  let running = 0
  const countRows = createTotals(() => nowMs)
  const count = (total: number, durationMs: number) =>
    countRows(async () => {
      running++
      expect(running).toBe(1)
      await Promise.resolve()
      nowMs += durationMs
      running--
      if (total < 0) throw new TypeError('lost')
      return total
    })
  const results = await Promise.allSettled([
    count(1, 0),
    count(-1, 900),
    count(2, 1_000),
    count(3, 200),
    count(4, 0),
    count(5, 0),
  ])
  expect(results.slice(0, 4)).toMatchObject([
    { value: 1 },
    { reason: { message: 'lost' } },
    { value: 2 },
    { value: 3 },
  ])
  for (const result of results.slice(4)) {
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreTooMuchWorkError) })
  }
})
