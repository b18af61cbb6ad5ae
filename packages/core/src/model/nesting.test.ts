import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nestsDeeper } from './nesting.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('tells how deep JSON nests, whatever its texts hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, depthMax) => {
      expect(nestsDeeper(JSON.stringify(value), depthMax)).toBe(depthOf(value) > depthMax)
    }),
  )
})

test('counts no brackets within texts', () => {
  expect(nestsDeeper(JSON.stringify(['"[[[[\\', '[[[[']), 1)).toBe(false)
})

test('reads texts that are no JSON', () => {
  expect(nestsDeeper('['.repeat(100), 64)).toBe(true)
  expect(nestsDeeper('[]'.repeat(100), 64)).toBe(false)
  expect(nestsDeeper('"[[', 1)).toBe(false)
})
