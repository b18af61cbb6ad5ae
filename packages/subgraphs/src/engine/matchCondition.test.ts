import { expect, test } from 'vitest'
import { createBudget, defaultReadLimits } from './budget.ts'
import { isOneOf, type Condition } from './condition.ts'
import { createMatcher } from './matchCondition.ts'

const conditions = Array.from({ length: 1_000 }, (_, number): Condition => ({
  kind: 'not',
  of: isOneOf('subject', [`none ${number}`]),
}))

test('a thousand conditions read one field of a row once', () => {
  const read: string[] = []
  const isMatch = createMatcher(
    { kind: 'all', of: conditions },
    (row: string) => {
      read.push(row)
      return row
    },
    () => undefined,
  )
  expect(['a', 'none 7', 'b'].map(isMatch)).toEqual([true, false, true])
  expect(read).toEqual(['a', 'none 7', 'b'])
})

test('others may get a turn between any two rows', async () => {
  const log: string[] = []
  const effort = {
    pause: () => void log.push('pause'),
    begin: (resolve: () => unknown) => resolve(),
    hold: () => Promise.resolve(),
  }
  const budget = createBudget(defaultReadLimits, 'ask for less', effort)
  const found = await budget.filter([1, 2, 3], (row) => {
    log.push(`row ${row}`)
    return row !== 2
  })
  expect(found).toEqual([1, 3])
  expect(log).toEqual(['pause', 'row 1', 'pause', 'row 2', 'pause', 'row 3'])
})
