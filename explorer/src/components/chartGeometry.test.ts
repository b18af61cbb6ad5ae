import { expect, test } from 'vitest'
import { axisOf, barsOf, daysToName } from './chartGeometry.ts'

test('draws no bar for a day without counts, and the second series on the first', () => {
  expect(
    barsOf([
      [2, 0],
      [1, 3],
    ]),
  ).toEqual(['M0.14 0v2h0.72v-2z', 'M0.14 2v1h0.72v-1zM1.14 0v3h0.72v-3z'])
})

test.each([
  [0, [0, 1, 2, 3, 4]],
  [3, [0, 1, 2, 3, 4]],
  [9, [0, 2, 4, 6, 8]],
  [100, [0, 50, 100]],
  [140, [0, 50, 100, 150]],
  [1000, [0, 500, 1000]],
  [2_000_000, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]],
])('lines for bars up to %d are at %j', (highest, steps) => {
  expect(axisOf(highest).steps).toEqual(steps)
  expect(axisOf(highest).top).toBeGreaterThanOrEqual(highest)
})

test('names days evenly apart, all of a few', () => {
  expect(daysToName(30)).toEqual([2, 7, 12, 17, 22, 27])
  expect(daysToName(3)).toEqual([0, 1, 2])
  expect(daysToName(0)).toEqual([])
})
