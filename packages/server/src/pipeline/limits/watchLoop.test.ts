import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lookIntervalMs, watchLoop, type LoopWatch } from './watchLoop.ts'

let nowMs = 0
let loop: LoopWatch

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  nowMs = 0
  loop = watchLoop(() => nowMs)
  loop.start()
})
afterEach(() => {
  loop.stop()
  vi.useRealTimers()
})

test('a stall that is over is not lateness', () => {
  look(60_000)
  expect(loop.lagMs()).toBe(0)
  look(0)
  expect(loop.lagMs()).toBe(0)
})

test('a loop that stays late is as late as at the better of two looks', () => {
  look(1_500)
  look(2_000)
  expect(loop.lagMs()).toBe(1_500)
  look(3_000)
  expect(loop.lagMs()).toBe(2_000)
  look(10)
  expect(loop.lagMs()).toBe(10)
})

test('an event loop without a watcher is not late', () => {
  look(1_500)
  look(2_000)
  loop.stop()
  expect(loop.lagMs()).toBe(0)
})

function look(lateMs: number): void {
  nowMs += lookIntervalMs + lateMs
  vi.advanceTimersByTime(lookIntervalMs)
}
