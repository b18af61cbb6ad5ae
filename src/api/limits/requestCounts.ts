/** What one client has asked for in its window, this request included. */
export interface RequestCount {
  readonly current: number
  /** Until the window ends. */
  readonly ttlMs: number
}

/** Counts a request of a client. */
export type CountRequest = (client: string) => RequestCount | Promise<RequestCount>

/** Clients remembered; the one unseen for longest is forgotten first. */
export const clientsMax = 50_000

/** Counts the requests of each client in windows that begin with its first request. */
export function createRequestCounts(
  windowMs: number,
  nowMs: () => number = () => performance.now(),
): (client: string) => RequestCount {
  // In the order of when each was last seen.
  const windows = new Map<string, { readonly beganMs: number; readonly current: number }>()
  return (client) => {
    const timeMs = nowMs()
    const known = windows.get(client)
    const isOpen = known !== undefined && known.beganMs + windowMs > timeMs
    const { beganMs, current } = isOpen
      ? { beganMs: known.beganMs, current: known.current + 1 }
      : { beganMs: timeMs, current: 1 }
    windows.delete(client)
    windows.set(client, { beganMs, current })
    if (windows.size > clientsMax) {
      const [oldest = client] = windows.keys()
      windows.delete(oldest)
    }
    return { current, ttlMs: beganMs + windowMs - timeMs }
  }
}
