import type { Clock } from '../model/clock.ts'
import type { RequestPace } from './requestPace.ts'

/** Limits of requests. */
export interface RequestLimits {
  /** Requests in flight at a time. */
  readonly inFlight: number
  /** Requests sent within any second; null: no limit. */
  readonly perSecond: number | null
}

/** The requests of one endpoint, first come, first served. */
export interface RequestBudget {
  /**
   * Resolves when a request may be sent, or rejects with the signal's reason. Each success must be followed by one
   * `release`.
   */
  acquire(signal: AbortSignal): Promise<void>
  release(): void
  /** Whether `acquire` would have to wait. */
  isFull(): boolean
}

/**
 * The requests of all endpoints together. Where there is no room for all who wait, the endpoint with the fewest
 * requests under way is next: one that hangs with its own share in hand takes nothing from the turn of the others.
 */
export interface SharedBudget {
  /** Lets one request of the member in, or calls its `wake` when there is room. */
  enter(member: BudgetMember): boolean
  /** Calls `wake` of the member when there is room. */
  awaitRoom(member: BudgetMember): void
  leave(): void
  isFull(): boolean
}

interface BudgetMember {
  underWay(): number
  /** Tries to let one request in. */
  wake(): void
}

export function createRequestBudget(
  limits: RequestLimits,
  clock: Clock,
  shared: SharedBudget | null,
  pace: RequestPace | null = null,
): RequestBudget {
  const waiting = new Set<() => void>()
  const gate = createGate(limits, clock, () => letIn(Infinity), pace)
  const member: BudgetMember = { underWay: () => gate.underWay(), wake: () => letIn(1) }

  /** Lets in those who have waited longest, at most so many; the rest are asked again by what holds them back. */
  function letIn(most: number) {
    let left = most
    for (const enter of waiting) {
      if (!gate.hasRoom()) return
      if (left-- === 0) return shared?.awaitRoom(member)
      if (shared !== null && !shared.enter(member)) return
      gate.enter()
      enter()
    }
    gate.rest()
  }

  return {
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const enter = () => {
          waiting.delete(enter)
          signal.removeEventListener('abort', onAbort)
          resolve()
        }
        const onAbort = () => {
          waiting.delete(enter)
          if (waiting.size === 0) gate.rest()
          reject(signal.reason)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(enter)
        letIn(Infinity)
      })
    },
    release() {
      gate.leave()
      shared?.leave()
      letIn(Infinity)
    },
    isFull: () => gate.isFull() || shared?.isFull() === true,
  }
}

export function createSharedBudget(limits: RequestLimits, clock: Clock): SharedBudget {
  const blocked = new Set<BudgetMember>()
  const gate = createGate(limits, clock, wake)

  function wake() {
    while (blocked.size > 0 && gate.hasRoom()) {
      const next = [...blocked].reduce((least, each) => (each.underWay() < least.underWay() ? each : least))
      blocked.delete(next)
      // It comes back into `blocked`, at the end, where more of its requests wait.
      next.wake()
    }
    if (blocked.size === 0) gate.rest()
  }

  return {
    enter(member) {
      if (gate.hasRoom()) {
        gate.enter()
        return true
      }
      blocked.add(member)
      return false
    },
    awaitRoom: (member) => void blocked.add(member),
    leave() {
      gate.leave()
      wake()
    },
    isFull: () => gate.isFull(),
  }
}

/** Counts what is under way, and when the requests of the last second were sent. */
interface Gate {
  underWay(): number
  /** Whether one more may be sent now; where time alone brings room, `onRoom` is called then. */
  hasRoom(): boolean
  isFull(): boolean
  enter(): void
  leave(): void
  /** Nobody waits any more. */
  rest(): void
}

const windowMs = 1_000

function createGate(
  { inFlight, perSecond }: RequestLimits,
  clock: Clock,
  onRoom: () => void,
  pace: RequestPace | null = null,
): Gate {
  let underWay = 0
  // The times of the newest requests, as many as a second may have; the next one takes the place of the oldest.
  const sentAtMs: number[] = []
  let next = 0
  let alarm: AbortController | null = null

  function delayMs(): number {
    const nowMs = clock.nowMs()
    const paceMs = pace?.delayMs(nowMs) ?? 0
    if (perSecond === null || sentAtMs.length < perSecond) return paceMs
    // A clock that was put back must not stop everything for as long.
    return Math.max(paceMs, Math.min(windowMs, (sentAtMs[next] ?? nowMs) + windowMs - nowMs))
  }

  function setAlarm(afterMs: number) {
    if (alarm !== null) return
    const set = new AbortController()
    alarm = set
    clock.sleep(afterMs, set.signal).then(
      () => {
        if (alarm === set) alarm = null
        onRoom()
      },
      () => undefined,
    )
  }

  return {
    underWay: () => underWay,
    hasRoom() {
      if (underWay >= inFlight) return false
      const waitMs = delayMs()
      if (waitMs <= 0) return true
      setAlarm(waitMs)
      return false
    },
    isFull: () => underWay >= inFlight || delayMs() > 0,
    enter() {
      underWay++
      pace?.noteSent(clock.nowMs())
      if (perSecond === null) return
      sentAtMs[next] = clock.nowMs()
      next = (next + 1) % perSecond
    },
    leave: () => void underWay--,
    rest() {
      alarm?.abort()
      alarm = null
    },
  }
}
