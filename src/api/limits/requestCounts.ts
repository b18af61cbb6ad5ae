import { createRecentMap } from '../../model/recentMap.ts'

/** The requests of one client in its window, this one included. */
export interface RequestCount {
  readonly current: number
  /** The time until the window ends. */
  readonly ttlMs: number
}

/** Counts a request of a client. */
export type CountRequest = (client: string) => RequestCount | Promise<RequestCount>

/** Clients whose windows are kept; at least the most recent half is. */
export const clientsMax = 100_000

interface Window {
  beganMs: number
  current: number
}

/** Counts the requests of each client in windows. A window begins with its first request. */
export function createRequestCounts(
  windowMs: number,
  nowMs: () => number = () => performance.now(),
): (client: string) => RequestCount {
  const windows = createRecentMap<string, Window>(clientsMax)
  return (client) => {
    const timeMs = nowMs()
    let window = windows.get(client)
    if (window === undefined) {
      window = { beganMs: timeMs, current: 0 }
      windows.set(client, window)
    } else if (window.beganMs + windowMs <= timeMs) {
      window.beganMs = timeMs
      window.current = 0
    }
    window.current += 1
    return { current: window.current, ttlMs: window.beganMs + windowMs - timeMs }
  }
}
