import { expect, test } from 'vitest'
import { clientsMax, createRequestCounts } from './requestCounts.ts'

test('each client has a window of its own, which begins with its first request', () => {
  let nowMs = 0
  const count = createRequestCounts(1_000, () => nowMs)
  expect(count('a')).toEqual({ current: 1, ttlMs: 1_000 })
  nowMs = 400
  expect(count('a')).toEqual({ current: 2, ttlMs: 600 })
  expect(count('b')).toEqual({ current: 1, ttlMs: 1_000 })
  nowMs = 999
  expect(count('a')).toEqual({ current: 3, ttlMs: 1 })
  nowMs = 1_000
  expect(count('a')).toEqual({ current: 1, ttlMs: 1_000 })
  expect(count('b')).toEqual({ current: 2, ttlMs: 400 })
})

test('of too many clients the one unseen for longest is forgotten', () => {
  const count = createRequestCounts(1_000, () => 0)
  count('first')
  count('second')
  for (let other = 0; other < clientsMax - 2; other++) count(`other ${other}`)
  expect(count('first').current).toBe(2)
  count('one more')
  expect(count('first').current).toBe(3)
  expect(count('second').current).toBe(1)
})
