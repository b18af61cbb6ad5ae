import { createRecentMap } from '@attestry/core/model/recentMap.ts'

/** The requests of one client in its window. */
export interface RequestCount {
  /** Requests, this one included. */
  readonly current: number
  /** Milliseconds of handlers' time. */
  readonly costMs: number
  /** The time until the window ends. */
  readonly ttlMs: number
}

/** The limits of a client; null: none. */
export interface ClientLimits {
  /** The client, or the name of its key. */
  readonly client: string
  readonly max: number | null
  readonly costMs: number | null
}

/** A counted request, and the limits of its client. */
export interface CountedRequest extends RequestCount {
  readonly limits: ClientLimits
}

/** Counts a request of a client, or adds what one of its requests has cost. */
export type CountRequest = (client: string, addedCostMs?: number) => RequestCount | Promise<RequestCount>

/** Clients whose windows are kept; at least the most recent half is. */
export const clientsMax = 100_000

interface Window {
  beganMs: number
  current: number
  costMs: number
}

/** Counts the requests of each client, and their costs, in windows. A window begins with its first request. */
export function createRequestCounts(
  windowMs: number,
  nowMs: () => number = () => performance.now(),
): (client: string, addedCostMs?: number) => RequestCount {
  const windows = createRecentMap<string, Window>(clientsMax)
  return (client, addedCostMs) => {
    const timeMs = nowMs()
    let window = windows.get(client)
    if (window === undefined) {
      window = { beganMs: timeMs, current: 0, costMs: 0 }
      windows.set(client, window)
    } else if (timeMs - window.beganMs >= windowMs) {
      window.beganMs = timeMs
      window.current = 0
      window.costMs = 0
    }
    if (addedCostMs === undefined) window.current += 1
    else window.costMs += addedCostMs
    // The sum of the beginning and the window may round up: a window would end later than it is long.
    const ttlMs = windowMs - (timeMs - window.beganMs)
    return { current: window.current, costMs: window.costMs, ttlMs }
  }
}
