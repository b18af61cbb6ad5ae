/**
 * The delay of the event loop: the time that a request waits before it is read. Ours instead of
 * `@fastify/under-pressure`, which has no limit of requests in flight, and judges by one sample: a machine that resumes
 * from sleep would refuse requests for a whole interval.
 */
export interface LoopWatch {
  start(): void
  /**
   * The smaller of the newest two samples; 0 before the second. One stall that is over, such as a suspended machine, is
   * no overload.
   */
  lagMs(): number
  stop(): void
}

export const lookIntervalMs = 250

export function watchLoop(now: () => number = () => performance.now()): LoopWatch {
  let timer: NodeJS.Timeout | null = null
  let dueMs = 0
  let lateness = { earlierMs: 0, newestMs: 0 }
  return {
    start: () => {
      if (timer !== null) return
      dueMs = now() + lookIntervalMs
      timer = setInterval(() => {
        const nowMs = now()
        lateness = { earlierMs: lateness.newestMs, newestMs: Math.max(0, nowMs - dueMs) }
        dueMs = nowMs + lookIntervalMs
      }, lookIntervalMs)
      timer.unref()
    },
    lagMs: () => Math.min(lateness.earlierMs, lateness.newestMs),
    stop: () => {
      if (timer !== null) clearInterval(timer)
      timer = null
      lateness = { earlierMs: 0, newestMs: 0 }
    },
  }
}
