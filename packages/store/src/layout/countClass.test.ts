import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countClass, countClassBounds, exactClassMax } from './countClass.ts'

const counts = fc.oneof(fc.nat(200), fc.nat(2 ** 31 - 1), fc.nat(Number.MAX_SAFE_INTEGER))

test('counts up to the greatest exact class are their own classes', () => {
  for (let count = 0; count <= exactClassMax; count++) expect(countClass(count)).toBe(count)
  expect(countClass(exactClassMax + 1)).toBe(exactClassMax + 1)
})

test('no greater count has a lower class', () => {
  fc.assert(
    fc.property(counts, counts, (one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      expect(countClass(less)).toBeLessThanOrEqual(countClass(more))
    }),
    { verbose: 1, numRuns: 2_000 },
  )
})

test('each class begins at its bound and takes the next quarter of a power of two, for each of the powers', () => {
  for (const [index, bound] of countClassBounds.entries()) {
    expect(countClass(bound)).toBe(exactClassMax + 1 + index)
    expect(countClass(bound - 1)).toBe(exactClassMax + index)
  }
  for (let power = 4; power < 32; power++) {
    expect(countClass(2 ** power + 1)).toBe(countClass(2 ** power) + 1)
  }
  expect(countClass(2 ** 32)).toBe(countClass(2 ** 40))
})
