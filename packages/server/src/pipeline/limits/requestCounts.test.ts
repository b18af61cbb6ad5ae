import { expect, test } from 'vitest'
import { clientsMax, createRequestCounts } from './requestCounts.ts'

test('each client has a window of its own, which begins with its first request', () => {
  let nowMs = 0
  const count = createRequestCounts(1_000, () => nowMs)
  expect(count('a')).toEqual({ current: 1, costMs: 0, ttlMs: 1_000 })
  nowMs = 400
  expect(count('a')).toEqual({ current: 2, costMs: 0, ttlMs: 600 })
  expect(count('b')).toEqual({ current: 1, costMs: 0, ttlMs: 1_000 })
  nowMs = 999
  expect(count('a')).toEqual({ current: 3, costMs: 0, ttlMs: 1 })
  nowMs = 1_000
  expect(count('a')).toEqual({ current: 1, costMs: 0, ttlMs: 1_000 })
  expect(count('b')).toEqual({ current: 2, costMs: 0, ttlMs: 400 })
})

test('of too many clients, those unseen for longest are forgotten', () => {
  const count = createRequestCounts(1_000, () => 0)
  count('forgotten')
  for (let other = 0; other < clientsMax; other++) {
    count(`other ${other}`)
    if (other % 10_000 === 0) count('seen')
  }
  expect(count('seen').current).toBe(clientsMax / 10_000 + 1)
  expect(count('forgotten').current).toBe(1)
})

test('costs add up in the window of the client, beside its requests', () => {
  let nowMs = 0
  const count = createRequestCounts(1_000, () => nowMs)
  expect(count('a')).toEqual({ current: 1, costMs: 0, ttlMs: 1_000 })
  expect(count('a', 250)).toEqual({ current: 1, costMs: 250, ttlMs: 1_000 })
  expect(count('a', 50)).toEqual({ current: 1, costMs: 300, ttlMs: 1_000 })
  expect(count('b').costMs).toBe(0)
  nowMs = 1_000
  expect(count('a')).toEqual({ current: 1, costMs: 0, ttlMs: 1_000 })
})

test('a reset time is never later than one window, whatever the clock shows', () => {
  for (let nowMs = 6_000.1; nowMs < 6_010; nowMs += 0.1) {
    expect(createRequestCounts(60_000, () => nowMs)('a').ttlMs).toBe(60_000)
  }
})
