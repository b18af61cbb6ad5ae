import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSorter, sortRows } from './sortRows.ts'

test('the kept rows are the first of the whole order, with equal rows in the order in which they came', () => {
  const row = fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.constantFrom('x', 'y', null) })
  const orders = [
    [],
    [{ field: 'a', isDescending: true }],
    [
      { field: 'b', isDescending: false },
      { field: 'a', isDescending: false },
    ],
  ]
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 3_000, maxLength: 7_000 }),
      fc.integer({ min: 0, max: 900 }),
      fc.constantFrom(...orders),
      (made, enough, orderBy) => {
        const rows = made.map((each, id) => ({ ...each, id }))
        const valueOf = (each: (typeof rows)[number], field: string) => (field === 'a' ? each.a : each.b)
        const sorter = createSorter(orderBy, valueOf, enough)
        for (let start = 0; start < rows.length; start += 700) sorter.add(rows.slice(start, start + 700))
        expect(sorter.sorted()).toEqual(sortRows(rows, orderBy, valueOf).slice(0, enough))
      },
    ),
    { numRuns: 20 },
  )
})
