import { expect, test } from 'vitest'
import { formatCompactCount, formatCount, formatQuantity, formatShare } from './formatCount.ts'

test('writes counts as Intl does', () => {
  const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
  const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
  const percentage = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
  const around = [0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e9, 1e12].flatMap((count) =>
    [-51, -50, -49, -2, -1, 0, 1, 2, 49, 50, 51].map((step) => count + step),
  )
  for (const count of around.filter((each) => each >= 0)) {
    expect(formatCount(count)).toBe(whole.format(count))
    expect(formatCompactCount(count)).toBe(compact.format(count))
  }
  for (const share of [0, 0.001, 0.0124, 1 / 3, 0.5, 2 / 3, 0.999, 0.9999, 1]) {
    expect(formatShare(share)).toBe(percentage.format(share))
  }
})

test('says of a small share that it is small', () => {
  expect(formatShare(0.0009)).toBe('<0.1%')
})

test('names one and many', () => {
  expect([formatQuantity(1, 'schema'), formatQuantity(1200, 'reply', 'replies')]).toEqual([
    '1 schema',
    '1,200 replies',
  ])
})
