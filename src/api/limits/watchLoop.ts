/** How late the event loop is: the time that a request waits before anybody looks at it. */
export interface LoopWatch {
  start(): void
  /** As it was at the newest look; 0 before the first. */
  lagMs(): number
  stop(): void
}

const lookIntervalMs = 250

export function watchLoop(): LoopWatch {
  let timer: NodeJS.Timeout | null = null
  let dueMs = 0
  let lagMs = 0
  return {
    start: () => {
      if (timer !== null) return
      dueMs = performance.now() + lookIntervalMs
      timer = setInterval(() => {
        const nowMs = performance.now()
        lagMs = Math.max(0, nowMs - dueMs)
        dueMs = nowMs + lookIntervalMs
      }, lookIntervalMs)
      timer.unref()
    },
    lagMs: () => lagMs,
    stop: () => {
      if (timer !== null) clearInterval(timer)
      timer = null
      lagMs = 0
    },
  }
}
