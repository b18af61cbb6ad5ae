import { describe, expect, test } from 'vitest'
import { listAlternatives } from './alternatives.ts'
import { allOf, isOneOf, type Condition } from './condition.ts'

const many = (count: number, make: (number: number) => Condition) =>
  Array.from({ length: count }, (_, number) => make(number))

/** Two tests that no list of values merges with others. */
const way = (number: number): Condition => allOf(isOneOf('attester', [number]), isOneOf('portal', [number]))

describe('the alternatives of a condition', () => {
  test('are those of each part times those of the others', () => {
    const condition = allOf(
      isOneOf('schema', ['s']),
      { kind: 'any', of: many(3, way) },
      { kind: 'any', of: many(2, way) },
    )
    const alternatives = listAlternatives(condition)
    expect(alternatives).toHaveLength(6)
    for (const { tests, isExact } of alternatives) {
      expect(tests.map(({ field }) => field)).toEqual(['schema', 'attester', 'portal', 'attester', 'portal'])
      expect(isExact).toBe(true)
    }
  })

  test('do not multiply thousands of tests', () => {
    const condition = allOf(
      { kind: 'any', of: many(256, way) },
      ...many(5_000, (number) => isOneOf('subject', [number])),
    )
    const alternatives = listAlternatives(condition)
    expect(alternatives.reduce((sum, { tests }) => sum + tests.length, 0)).toBeLessThanOrEqual(20_000)
    // The rows of these alternatives have to be held against the whole condition.
    expect(alternatives.every(({ isExact }) => !isExact)).toBe(true)
  })

  test('do not multiply thousands of listed values', () => {
    const ids = Array.from({ length: 9_000 }, (_, number) => number)
    const alternatives = listAlternatives(allOf({ kind: 'any', of: many(256, way) }, isOneOf('id', ids)))
    expect(alternatives).toEqual([{ tests: [isOneOf('id', ids)], isExact: false }])
  })
})
