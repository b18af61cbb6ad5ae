import type { Clock } from '@attestry/core/model/clock.ts'

/** Time that passes only while somebody sleeps, and then at once. `slept`: all pauses, in milliseconds. */
export interface SleepingClock extends Clock {
  readonly slept: readonly number[]
}

export function createSleepingClock(): SleepingClock {
  let nowMs = 1_000_000
  const slept: number[] = []
  return {
    slept,
    nowMs: () => nowMs,
    sleep: async (delayMs, signal) => {
      signal.throwIfAborted()
      slept.push(delayMs)
      nowMs += delayMs
    },
  }
}
