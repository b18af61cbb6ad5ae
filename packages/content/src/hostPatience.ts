import { createRecentMap } from '@attestry/core/model/recentMap.ts'

/**
 * Decides whether to ask a host. A host that failed several times in a row rests for a while, so that thousands of URLs
 * of a dead host do not hold up other content.
 */
export interface HostPatience {
  isResting(host: string): boolean
  /** Notes whether a host answered, and soon enough. */
  note(host: string, hasAnswered: boolean): void
}

const failuresMax = 3
const restMs = 120_000

/** Hosts that are remembered. */
const hostsMax = 10_000

export function createHostPatience(now: () => number = Date.now): HostPatience {
  const failing = createRecentMap<string, { readonly failures: number; readonly sinceMs: number }>(hostsMax)
  return {
    isResting: (host) => {
      const { failures = 0, sinceMs = 0 } = failing.get(host) ?? {}
      return failures >= failuresMax && now() < sinceMs + restMs
    },
    note: (host, hasAnswered) => {
      if (hasAnswered) {
        failing.delete(host)
        return
      }
      failing.set(host, { failures: (failing.get(host)?.failures ?? 0) + 1, sinceMs: now() })
    },
  }
}
