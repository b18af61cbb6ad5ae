/** The time and all waiting of code that talks to chains, so that a simulation can skip hours. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Resolves after `delayMs`, or rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}

/** The clock of the machine, which its operator or a time server may set back or forth. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason)
        return
      }
      const onAbort = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }, delayMs)
      signal.addEventListener('abort', onAbort, { once: true })
    }),
}

/**
 * A clock that nobody sets, for durations: it starts at the time of the machine, and what is set afterwards does not
 * move it.
 */
export const steadyClock: Clock = {
  ...systemClock,
  nowMs: () => performance.timeOrigin + performance.now(),
}
