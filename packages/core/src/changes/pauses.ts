import { steadyClock, type Clock } from '../model/clock.ts'

/** Pauses of a loop that others wake. A wake ends a pause early, and so does one that came since the last pause. */
export interface Pauses {
  wait(durationMs: number): Promise<void>
  wake(): void
}

export function createPauses(clock: Clock = steadyClock): Pauses {
  let isWoken = false
  let pause = new AbortController()
  return {
    wait: async (durationMs) => {
      pause = new AbortController()
      if (!isWoken) await clock.sleep(durationMs, pause.signal).catch(() => undefined)
      isWoken = false
    },
    wake: () => {
      isWoken = true
      pause.abort()
    },
  }
}
