/** Lets at most a number of holders in at a time, first come first served. */
export interface Semaphore {
  /** Resolves when there is room, or rejects with the signal's reason. Each success must be followed by one `release`. */
  acquire(signal: AbortSignal): Promise<void>
  release(): void
  /** Whether `acquire` would have to wait. */
  isFull(): boolean
}

export function createSemaphore(permits: number): Semaphore {
  let held = 0
  const waiting = new Set<() => void>()
  return {
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (held < permits) {
        held++
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const enter = () => {
          waiting.delete(enter)
          signal.removeEventListener('abort', onAbort)
          resolve()
        }
        const onAbort = () => {
          waiting.delete(enter)
          reject(signal.reason)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(enter)
      })
    },
    release() {
      // The permit passes to the one that has waited longest; without anybody waiting it returns.
      const [next] = waiting
      if (next === undefined) held--
      else next()
    },
    isFull: () => held >= permits,
  }
}
