import type { Clock } from '../model/clock.ts'
import type { RequestPace } from './requestPace.ts'

/** Limits of requests. */
export interface RequestLimits {
  /** Requests in flight at a time. */
  readonly inFlight: number
  /** Calls sent within any second, each call of a batch counted, as providers count; null: no limit. */
  readonly perSecond: number | null
}

/** The requests of one endpoint, first come, first served. */
export interface RequestBudget {
  /**
   * Resolves when a request of so many calls may be sent, or rejects with the signal's reason. Each success must be
   * followed by one `release`. A request with more calls than the limit per second is the only one in its second.
   */
  acquire(calls: number, signal: AbortSignal): Promise<void>
  release(): void
  /** Whether `acquire` of one call would have to wait. */
  isFull(): boolean
}

/**
 * The budget of requests of all endpoints together. If there is no room for all that wait, the endpoint with the fewest
 * requests under way is next. An endpoint that hangs with its own share in hand does not delay the others.
 */
export interface SharedBudget {
  /** Calls within any second; null: no limit. */
  readonly perSecond: number | null
  /** Lets one request of the member in, or calls its `wake` when there is room. */
  enter(member: BudgetMember, calls: number): boolean
  /** Calls `wake` of the member when there is room. */
  awaitRoom(member: BudgetMember): void
  leave(): void
  isFull(): boolean
}

interface BudgetMember {
  underWay(): number
  /** Calls of the request that has waited longest; 0: none waits. */
  nextCalls(): number
  /** Tries to let one request in. */
  wake(): void
}

export function createRequestBudget(
  limits: RequestLimits,
  clock: Clock,
  shared: SharedBudget | null,
  pace: RequestPace | null = null,
): RequestBudget {
  const waiting = new Set<{ readonly calls: number; enter(): void }>()
  const gate = createGate(limits, clock, () => letIn(Infinity), pace)
  const member: BudgetMember = {
    underWay: () => gate.underWay(),
    nextCalls: () => waiting.values().next().value?.calls ?? 0,
    wake: () => letIn(1),
  }

  /** Lets in those who have waited longest, at most so many; the rest are asked again by what holds them back. */
  function letIn(most: number) {
    let left = most
    for (const { calls, enter } of waiting) {
      if (!gate.hasRoom(calls)) return
      if (left-- === 0) return shared?.awaitRoom(member)
      if (shared !== null && !shared.enter(member, calls)) return
      gate.enter(calls)
      enter()
    }
    gate.rest()
  }

  return {
    acquire(calls, signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const request = {
          calls,
          enter() {
            waiting.delete(request)
            signal.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        const onAbort = () => {
          waiting.delete(request)
          if (waiting.size === 0) gate.rest()
          reject(signal.reason)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(request)
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
    while (blocked.size > 0) {
      const next = [...blocked].reduce((least, each) => (each.underWay() < least.underWay() ? each : least))
      if (!gate.hasRoom(next.nextCalls())) break
      blocked.delete(next)
      // It comes back into `blocked`, at the end, where more of its requests wait.
      next.wake()
    }
    if (blocked.size === 0) gate.rest()
  }

  return {
    perSecond: limits.perSecond,
    enter(member, calls) {
      if (gate.hasRoom(calls)) {
        gate.enter(calls)
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

/** Counts what is under way, and when the calls of the last second were sent. */
interface Gate {
  underWay(): number
  /** Whether a request of so many calls may be sent now; where time alone brings room, `onRoom` is called then. */
  hasRoom(calls: number): boolean
  isFull(): boolean
  enter(calls: number): void
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
  // The requests of the last second, the oldest first, and the sum of their calls.
  const sent: { readonly atMs: number; readonly calls: number }[] = []
  let sentCalls = 0
  let alarm: AbortController | null = null

  function delayMs(calls: number): number {
    const nowMs = clock.nowMs()
    const paceMs = pace?.delayMs(nowMs) ?? 0
    if (perSecond === null) return paceMs
    for (let oldest = sent[0]; oldest !== undefined && oldest.atMs <= nowMs - windowMs; oldest = sent[0]) {
      sentCalls -= oldest.calls
      sent.shift()
    }
    let excess = sentCalls + calls - perSecond
    if (excess <= 0) return paceMs
    // Room comes when enough of the oldest calls are a second old.
    const leaving = sent.find((each) => (excess -= each.calls) <= 0) ?? sent.at(-1)
    return Math.max(paceMs, leaving === undefined ? 0 : leaving.atMs + windowMs - nowMs)
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
    hasRoom(calls) {
      if (underWay >= inFlight) return false
      const waitMs = delayMs(calls)
      if (waitMs <= 0) return true
      setAlarm(waitMs)
      return false
    },
    isFull: () => underWay >= inFlight || delayMs(1) > 0,
    enter(calls) {
      const nowMs = clock.nowMs()
      underWay++
      pace?.noteSent(nowMs)
      if (perSecond === null) return
      sent.push({ atMs: nowMs, calls })
      sentCalls += calls
    },
    leave: () => void underWay--,
    rest() {
      alarm?.abort()
      alarm = null
    },
  }
}
