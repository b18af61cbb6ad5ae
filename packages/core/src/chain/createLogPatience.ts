import type { Clock } from '../model/clock.ts'

/**
 * How long a block near the head may be waited for whose bloom announces logs that no endpoint has yet. Blooms may
 * announce logs that do not exist: each wait in vain halves the next one, down to none, and an hour later the first
 * wait is allowed again. A block that is left without logs then is read once more when it is final.
 */
export interface LogPatience {
  /** The time that the next block may be waited for, in milliseconds. */
  leftMs(): number
  noteVain(): void
  noteWorth(): void
}

/** Nodes have the logs of a new block one to three seconds after its header, where they are late at all. */
const patienceMaxMs = 4_000
const patienceMinMs = 250
const renewalMs = 3_600_000

export function createLogPatience(clock: Pick<Clock, 'nowMs'>): LogPatience {
  let patienceMs = patienceMaxMs
  let vainAtMs = Number.NEGATIVE_INFINITY
  return {
    leftMs() {
      if (clock.nowMs() - vainAtMs >= renewalMs) patienceMs = patienceMaxMs
      return patienceMs < patienceMinMs ? 0 : patienceMs
    },
    noteVain() {
      patienceMs /= 2
      vainAtMs = clock.nowMs()
    },
    noteWorth() {
      patienceMs = patienceMaxMs
    },
  }
}
