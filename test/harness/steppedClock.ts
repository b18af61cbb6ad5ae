import type { Clock } from '@attestry/core/model/clock.ts'

/** Time that goes on from one sleeper's end to the next, as soon as nothing else is left to do. */
export function createSteppedClock() {
  let nowMs = 1_000
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>()
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { atMs: nowMs + delayMs, wake: resolve }
        sleepers.add(sleeper)
        signal.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      }),
  }
  return {
    clock,
    sleeping: () => sleepers.size,
    /** Lets time pass until `done`. */
    async run(done: () => boolean) {
      while (!done()) {
        await new Promise((resolve) => setImmediate(resolve))
        if (done()) return
        const [first] = [...sleepers].sort((a, b) => a.atMs - b.atMs)
        if (first === undefined) throw new Error('everything waits for ever')
        sleepers.delete(first)
        nowMs = Math.max(nowMs, first.atMs)
        first.wake()
      }
    },
  }
}
