import { expect, test } from 'vitest'
import { historyShare } from './historyShare.ts'

const dayS = 86_400
const nowS = 1_790_000_000

test('a chain whose newest block is old, and was preceded by another, shows its share of the time', () => {
  const chain = { indexedBlock: 20, indexedTimestamp: nowS - 15 * dayS }
  expect(historyShare(chain, 10, nowS - 60 * dayS, nowS)).toBe(0.75)
  expect(historyShare(chain, null, nowS - 60 * dayS, nowS)).toBe(0.75)
  expect(historyShare(chain, 10, nowS - 10 * dayS, nowS)).toBe(0)
})

test('a chain in the present, without a block, or without a new one has no share', () => {
  const old = { indexedBlock: 20, indexedTimestamp: nowS - 15 * dayS }
  expect(historyShare({ ...old, indexedTimestamp: nowS - 60 }, 10, 0, nowS)).toBeNull()
  expect(historyShare(old, 20, 0, nowS)).toBeNull()
  expect(historyShare({ indexedBlock: null, indexedTimestamp: null }, null, 0, nowS)).toBeNull()
})
