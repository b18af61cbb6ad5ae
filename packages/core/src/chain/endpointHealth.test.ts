import { expect, test } from 'vitest'
import { RpcRateLimitedError, RpcUnreachableError } from '../errors/rpcErrors.ts'
import {
  afterAsking,
  afterContradiction,
  afterFailure,
  afterSuccess,
  healthy,
  inQuarantine,
  isContradictory,
  pauseAt,
  quarantineMaxMs,
  trusted,
} from './endpointHealth.ts'

const unreachable = new RpcUnreachableError('a.example does not answer.', { retryable: true })
const askingFor = (retryAfterMs: number) =>
  new RpcRateLimitedError('a.example asks for a pause.', { retryable: true, facts: { retryAfterMs } })

test('a success ends failures, and neither their number ever nor a pause that was asked for', () => {
  const asked = afterAsking(healthy, askingFor(500), 1_000)
  const failed = afterFailure(asked, { error: unreachable, nowMs: 1_000, delayMs: 200 })
  expect(failed).toMatchObject({ failures: 1, failuresEver: 1, availableAtMs: 1_200, lastError: unreachable })
  const answered = afterSuccess(failed)
  expect(answered).toMatchObject({ failures: 0, failuresEver: 1, availableAtMs: 0, lastError: null })
  expect([pauseAt(answered, 1_499), pauseAt(answered, 1_500)]).toEqual([asked.pause?.error, null])
})

test('the pause that ends last counts, and an error without a pause causes none', () => {
  const long = afterAsking(healthy, askingFor(900), 1_000)
  expect(afterAsking(long, askingFor(100), 1_100)).toBe(long)
  expect(afterAsking(long, unreachable, 1_100)).toBe(long)
})

test('contradictions of an hour are too many at the fifth, and a quarantine forgets them', () => {
  const times = [0, 10, 20, 30]
  const before = times.reduce(afterContradiction, trusted)
  expect(isContradictory(before)).toBe(false)
  expect(isContradictory(afterContradiction(before, 3_599_999))).toBe(true)
  expect(isContradictory(afterContradiction(before, 3_600_000))).toBe(false)
  expect(inQuarantine(before, 40).contradictedAtMs).toEqual([])
})

test('each quarantine is twice as long as the one before, up to six hours', () => {
  let trust = trusted
  const lengths = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
    trust = inQuarantine(trust, 1_000)
    return trust.quarantinedUntilMs - 1_000
  })
  expect(lengths.slice(0, 2)).toEqual([600_000, 1_200_000])
  expect(lengths.slice(-2)).toEqual([quarantineMaxMs, quarantineMaxMs])
})
