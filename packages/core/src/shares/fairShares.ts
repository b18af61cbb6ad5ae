import { OverloadedError } from '../errors/apiErrors.ts'
import { presentAsker, type Asker } from './askers.ts'

/**
 * A budget that clients share, such that none of them uses it up for the others:
 * 1. a client gets at most a quarter of what the others leave;
 * 2. clients without a key leave a quarter of the total to those with one;
 * 3. a client that holds next to nothing gets one piece of work as long as anything is left.
 * Work of the program itself is bounded only by the total.
 */
export interface FairShares {
  /**
   * Takes from the budget for the present client.
   * @param amount in the unit of the total; 1 by default.
   * @returns gives the amount back; calling it again does nothing.
   * @throws OverloadedError if the client has used its share, or all clients theirs.
   */
  take(amount?: number): () => void
  /**
   * Counts what the present client has used already.
   * @throws OverloadedError if that is more than its share.
   */
  charge(amount: number): void
}

export interface FairSharesOptions {
  readonly total: number
  /**
   * null: an amount is used until it is given back. Else it is also forgotten by and by: the total is what may be used
   * within so many milliseconds, and may be used at once.
   */
  readonly windowMs: number | null
  /** Says what there is too much of, in a sentence. */
  readonly refusal: string
  readonly nowMs?: () => number
}

/** One client's part of the amount that the others leave. */
const clientPart = 1 / 4
/** The part of the total that is reserved for clients with a key. */
const keyPart = 1 / 4

/** `Retry-After` in seconds where nobody knows when something is given back. */
const heldRetrySeconds = 5

/** Less than this is nothing. */
const rest = 0.01

/**
 * How much more a client may take. `own` and `all`: what it and all clients have used.
 * @param asker null: the program itself.
 */
export function roomOf(total: number, asker: Asker | null, own: number, all: number): number {
  if (asker === null) return total - all
  const left = total * (asker.hasKey ? 1 : 1 - keyPart) - (all - own)
  return Math.max(0, left) * clientPart - own
}

/** Whether a client may take an amount. */
export function mayTake(
  total: number,
  asker: Asker | null,
  amount: number,
  { own, all }: { readonly own: number; readonly all: number },
): boolean {
  if (all + amount > total) return false
  const isFirst =
    own <= amount / 2 && asker !== null && all + amount <= total * (asker.hasKey ? 1 : 1 - keyPart)
  return isFirst || amount <= roomOf(total, asker, own, all)
}

export function createFairShares({
  total,
  windowMs,
  refusal,
  nowMs = () => performance.now(),
}: FairSharesOptions): FairShares {
  const used = new Map<string, number>()
  let all = 0
  let countedAtMs = nowMs()

  /** Used amounts decay for all clients alike. At the total, a window forgets as much as may be used in it. */
  function fade(): void {
    const timeMs = nowMs()
    const factor = windowMs === null ? 1 : Math.exp(-Math.max(0, timeMs - countedAtMs) / windowMs)
    countedAtMs = timeMs
    if (factor === 1) return
    all = 0
    for (const [name, amount] of used) {
      const left = amount * factor
      if (left < rest) used.delete(name)
      else {
        used.set(name, left)
        all += left
      }
    }
  }

  function add(name: string, amount: number): void {
    const own = Math.max(0, (used.get(name) ?? 0) + amount)
    all += own - (used.get(name) ?? 0)
    if (own < rest) used.delete(name)
    else used.set(name, own)
  }

  /** When enough will have faded, if nobody takes anything meanwhile. */
  function retryAfterSeconds(asker: Asker | null, amount: number, own: number): number {
    if (windowMs === null) return heldRetrySeconds
    for (let seconds = 1; seconds * 1_000 < windowMs * 5; seconds++) {
      const factor = Math.exp((-seconds * 1_000) / windowMs)
      if (mayTake(total, asker, amount, { own: own * factor, all: all * factor })) return seconds
    }
    return Math.ceil(windowMs / 1_000)
  }

  /** @returns the name under which the present client is counted. */
  function check(amount: number): string {
    fade()
    const asker = presentAsker()
    const name = asker?.name ?? ''
    const own = used.get(name) ?? 0
    if (mayTake(total, asker, amount, { own, all })) return name
    throw new OverloadedError(refusal, retryAfterSeconds(asker, amount, own))
  }

  return {
    charge(amount) {
      fade()
      add(presentAsker()?.name ?? '', amount)
      check(0)
    },
    take(amount = 1) {
      const name = check(amount)
      add(name, amount)
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        fade()
        add(name, -amount)
      }
    },
  }
}
