import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseMerge } from './runRound.ts'

const eventsMax = 10_000

/** Adds segments of these sizes, and merges after each as the lake does. */
function grow(sizes: readonly number[]) {
  let segments: { readonly events: number }[] = []
  let total = 0
  let rewritten = 0
  for (const size of sizes) {
    total += size
    segments.push({ events: total })
    const range = chooseMerge(segments, eventsMax)
    if (range === null) continue
    const { first, last } = range
    expect(last).toBeGreaterThan(first)
    rewritten += (segments[last]?.events ?? 0) - (segments[first - 1]?.events ?? 0)
    segments = [...segments.slice(0, first), ...segments.slice(last)]
  }
  const lengths = segments.map(({ events }, index) => events - (segments[index - 1]?.events ?? 0))
  return { lengths, total, rewritten }
}

test('few small segments are left, and large ones stay', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: eventsMax }), { maxLength: 300, size: 'max' }),
      (sizes) => {
        const { lengths, total } = grow(sizes)
        const small = lengths.slice(lengths.findLastIndex((length) => length >= eventsMax / 2) + 1)
        expect(small.length).toBeLessThanOrEqual(16)
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(total)
        expect(Math.max(0, ...lengths)).toBeLessThan(1.5 * eventsMax)
      },
    ),
  )
})

test('an event is rewritten a few times, however small the segments are that come', () => {
  const { total, rewritten } = grow(Array.from({ length: 20_000 }, () => 5))
  expect(rewritten / total).toBeLessThan(6)
})
