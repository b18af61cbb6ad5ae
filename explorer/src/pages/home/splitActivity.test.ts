import { expect, test } from 'vitest'
import { splitActivity, type Split } from './splitActivity.ts'

const day = (date: string, attestationCount: number) => ({ date, attestationCount, schemaCount: 0 })
const part = (chainId: string, protocol: string, ...days: ReturnType<typeof day>[]) => ({
  chainId,
  protocol,
  days,
  schemaCount: 0,
  revocationCount: 0,
  attestationCount: days.reduce((sum, { attestationCount }) => sum + attestationCount, 0),
})
const stats = {
  days: [day('2026-01-01', 4), day('2026-01-03', 9)],
  protocols: [
    part('1', 'sign', day('2026-01-01', 3)),
    part('1', 'eas', day('2026-01-01', 1), day('2026-01-03', 2)),
    part('10', 'eas', day('2026-01-03', 7)),
  ],
}

function shown(given: typeof stats, split: Split) {
  const { days, series } = splitActivity(given, split, (key) => `Part ${key}`)
  return Object.fromEntries(series.map(({ label, count }) => [label, days.map(count)]))
}

test('the bars are split by chain, by protocol or not at all', () => {
  expect(shown(stats, 'none')).toEqual({ Attestations: [4, 9] })
  expect(shown(stats, 'chain')).toEqual({ 'Part 1': [4, 2], 'Part 10': [0, 7] })
  expect(shown(stats, 'protocol')).toEqual({ 'Part eas': [1, 9], 'Part sign': [3, 0] })
})

test('the largest part comes first, and small ones are one where there are more than five', () => {
  const protocols = Array.from({ length: 7 }, (_, index) =>
    part(`${index}`, 'eas', day('2026-01-01', index + 1)),
  )
  expect(shown({ days: [day('2026-01-01', 28)], protocols }, 'chain')).toEqual({
    'Part 6': [7],
    'Part 5': [6],
    'Part 4': [5],
    'Part 3': [4],
    '3 others': [6],
  })
})
