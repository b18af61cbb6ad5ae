import { expect, test } from 'vitest'
import {
  afterDelivery,
  afterFailure,
  givingUpMs,
  pauseAfter,
  pauseMaxMs,
  type HookState,
} from './hookState.ts'

const fresh: HookState = {
  place: { sequence: 1, offset: 0 },
  spans: {},
  round: 0,
  staleChains: [],
  failure: null,
  stopped: null,
  deliveredCount: 4,
  deliveredAt: null,
}

test('pauses grow up to an hour, and a hook stops after three days by a monotonic clock', () => {
  expect([1, 2, 3, 12, 13, 1_000].map((attempts) => pauseAfter(attempts))).toEqual([
    1_000,
    2_000,
    4_000,
    2_048_000,
    pauseMaxMs,
    pauseMaxMs,
  ])
  let state = fresh
  let elapsedMs = 0
  while (state.stopped === null) {
    const attempts = state.failure?.attempts ?? 0
    const passedMs = attempts === 0 ? 0 : pauseAfter(attempts)
    elapsedMs += passedMs
    // The clock of the machine jumps back and forth by years.
    const now = attempts % 2 === 0 ? 4_000_000_000_000 : 1_000
    state = afterFailure(state, { message: 'it is broken', now, passedMs })
  }
  expect(elapsedMs).toBeGreaterThanOrEqual(givingUpMs)
  expect(elapsedMs).toBeLessThan(givingUpMs + pauseMaxMs)
  expect(state.stopped).toBe('nothing could be delivered for three days, at last because it is broken')
  expect(state.place).toEqual(fresh.place)
})

test('a receiver that asks for a pause gets it, up to an hour', () => {
  const asked = (retryAfterMs: number) =>
    afterFailure(fresh, { message: 'no', now: 5, passedMs: 0, retryAfterMs }).failure?.nextAt
  expect([0, 30_000, 86_400_000].map(asked)).toEqual([1_005, 30_005, pauseMaxMs + 5])
  expect(pauseAfter(10, 30_000)).toBe(512_000)
})

test('a delivery ends a failure', () => {
  const failing = afterFailure(fresh, { message: 'no', now: 5, passedMs: 0 })
  expect(failing.failure).toEqual({ since: 5, elapsedMs: 0, attempts: 1, nextAt: 1_005, message: 'no' })
  expect(afterDelivery(failing, 9)).toEqual({ ...fresh, deliveredCount: 5, deliveredAt: 9 })
})
