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

/** An endpoint that was slowed down; one that was not has no such state. */
interface Slowed {
  readonly perSecond: number
  /** No rate is lower. */
  readonly slowest: number
  /** The rate that was refused last, and when. */
  readonly refused: number
  readonly refusedAtMs: number
  readonly slowedAtMs: number
  readonly grownAtMs: number
  /** The next request is sent no sooner. */
  readonly nextAtMs: number
}

export function createRequestPace(): RequestPace {
  let slowed: Slowed | null = null
  let answeredAtMs: number[] = []

  return {
    delayMs(nowMs) {
      if (slowed === null) return 0
      // A clock that was put back must not stop everything for as long.
      return Math.min(windowMs, Math.max(0, slowed.nextAtMs - nowMs))
    },
    noteSent(nowMs) {
      slowed = slowed === null ? null : afterSending(slowed, nowMs)
    },
    noteAnswered(nowMs) {
      answeredAtMs = answeredAtMs.filter((atMs) => atMs > nowMs - windowMs)
      answeredAtMs.push(nowMs)
    },
    noteRefused(sentAtMs, nowMs) {
      const answered = answeredAtMs.filter((atMs) => atMs > nowMs - windowMs).length
      slowed = afterRefusal(slowed, { sentAtMs, nowMs, answered })
    },
    perSecond: () => slowed?.perSecond ?? null,
  }
}

/** The state after a request was sent; null once the refusal is long ago. */
function afterSending(before: Slowed, nowMs: number): Slowed | null {
  if (nowMs - before.refusedAtMs >= forgottenMs) return null
  // A rate that nobody used was not tested.
  const seconds = Math.min(windowMs, Math.max(0, nowMs - before.grownAtMs)) / 1_000
  const isNear = Math.abs(before.perSecond / before.refused - 1) <= nearRefused
  const perSecond = before.perSecond * (isNear ? slowGrowth : fastGrowth) ** seconds
  const nextAtMs = Math.max(before.nextAtMs, nowMs) + 1_000 / perSecond
  return { ...before, perSecond, grownAtMs: nowMs, nextAtMs }
}

interface Refusal {
  readonly sentAtMs: number
  readonly nowMs: number
  /** Requests that were answered in the last second. */
  readonly answered: number
}

function afterRefusal(before: Slowed | null, { sentAtMs, nowMs, answered }: Refusal): Slowed {
  // Requests that were under way together say the same, as do those of the same second of the endpoint's count.
  if (before !== null && sentAtMs < before.slowedAtMs + windowMs) return { ...before, refusedAtMs: nowMs }
  const refused = before?.perSecond ?? Math.max(perSecondMin, answered)
  const slowest = before?.slowest ?? Math.max(perSecondMin, answered * slowestPart)
  const perSecond = Math.max(slowest, refused * slowdown)
  const nextAtMs = nowMs + 1_000 / perSecond
  return { perSecond, slowest, refused, refusedAtMs: nowMs, slowedAtMs: nowMs, grownAtMs: nowMs, nextAtMs }
}
