import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partsOfOldestPage } from './oldestPage.ts'

test('pages from the end are the list turned around, for any length and size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 100 }), (total, size) => {
      const newestFirst = Array.from({ length: total }, (_, index) => index)
      const read: number[] = []
      for (let page = 1; page <= Math.ceil(total / size) + 1; page++) {
        const rows = partsOfOldestPage(page, size, total).flatMap((part) =>
          newestFirst.slice((part.page - 1) * size, part.page * size).slice(part.from, part.to),
        )
        read.push(...rows.toReversed())
      }
      expect(read).toEqual(newestFirst.toReversed())
    }),
  )
})
