/**
 * How many requests a second an endpoint is sent that asks for fewer. Nothing is slowed down before the first refusal.
 * A refusal slows down to a part of what was answered in the last second; the rate then grows fast up to where it was
 * refused, and slowly around there.
 */
export interface RequestPace {
  /** Milliseconds until the next request may be sent. */
  delayMs(nowMs: number): number
  noteSent(nowMs: number): void
  /** A request was answered, or refused for another reason than the rate. */
  noteAnswered(nowMs: number): void
  /** A request that was sent at `sentAtMs` was refused for its rate. */
  noteRefused(sentAtMs: number, nowMs: number): void
  /** Requests a second at present; null: as many as the other limits allow. */
  perSecond(): number | null
}

const windowMs = 1_000
const slowdown = 0.8
/** Growth in a second: away from the rate that was refused, and within a tenth of it. */
const fastGrowth = 1.1
const slowGrowth = 1.01
const nearRefused = 0.1
/** No rate is lower, in requests a second, nor lower than this part of the first one: slowing down is no help there. */
const perSecondMin = 4
const slowestPart = 1 / 8
/** After so long without a refusal there is no limit any more. */
const forgottenMs = 300_000

export function createRequestPace(): RequestPace {
  let perSecond: number | null = null
  let slowest = perSecondMin
  /** The rate that was refused last. */
  let refused = 0
  let refusedAtMs = 0
  let slowedAtMs = Number.NEGATIVE_INFINITY
  let grownAtMs = 0
  let nextAtMs = 0
  let answeredAtMs: number[] = []

  function grow(nowMs: number): void {
    if (perSecond === null) return
    if (nowMs - refusedAtMs >= forgottenMs) {
      perSecond = null
      return
    }
    // A rate that nobody used was not tested.
    const seconds = Math.min(windowMs, Math.max(0, nowMs - grownAtMs)) / 1_000
    grownAtMs = nowMs
    const isNear = Math.abs(perSecond / refused - 1) <= nearRefused
    perSecond *= (isNear ? slowGrowth : fastGrowth) ** seconds
  }

  return {
    delayMs(nowMs) {
      if (perSecond === null) return 0
      // A clock that was put back must not stop everything for as long.
      return Math.min(windowMs, Math.max(0, nextAtMs - nowMs))
    },
    noteSent(nowMs) {
      grow(nowMs)
      if (perSecond !== null) nextAtMs = Math.max(nextAtMs, nowMs) + 1_000 / perSecond
    },
    noteAnswered(nowMs) {
      answeredAtMs = answeredAtMs.filter((atMs) => atMs > nowMs - windowMs)
      answeredAtMs.push(nowMs)
    },
    noteRefused(sentAtMs, nowMs) {
      refusedAtMs = nowMs
      // Requests that were under way together say the same, as do those of the same second of the endpoint's count.
      if (sentAtMs < slowedAtMs + windowMs) return
      const answered = answeredAtMs.filter((atMs) => atMs > nowMs - windowMs).length
      if (perSecond === null) {
        refused = Math.max(perSecondMin, answered)
        slowest = Math.max(perSecondMin, answered * slowestPart)
        perSecond = refused
      } else refused = perSecond
      perSecond = Math.max(slowest, perSecond * slowdown)
      slowedAtMs = nowMs
      grownAtMs = nowMs
      nextAtMs = nowMs + 1_000 / perSecond
    },
    perSecond: () => perSecond,
  }
}
