import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { ChangePlace } from '@attestry/core/index/indexQueries.ts'
import type { SpanPlace } from '@attestry/core/index/hookStore.ts'
import type { DeliveryFailure } from './deliverMessage.ts'

/**
 * How far a hook has delivered, as the table `hook` keeps it. The sender writes a state some time after the delivery: a
 * crash repeats what was delivered since.
 */
export interface HookState {
  /** Everything up to here is delivered; null for a hook that reports only final blocks. */
  readonly place: ChangePlace | null
  /**
   * Records that are delivered from the tables, before the changes after `place`: by chain, the span of positions left.
   */
  readonly spans: Readonly<Record<string, RecordSpan>>
  /** Grows with each order to begin anew, so that the ids of messages differ from those of earlier rounds. */
  readonly round: number
  /** The chains that were reported stale to the receiver. */
  readonly staleChains: readonly number[]
  readonly failure: HookFailure | null
  /** Why the hook has stopped until an operator starts it again, in one sentence; null while it runs. */
  readonly stopped: string | null
  readonly deliveredCount: number
  /** Milliseconds; null before the first delivery. */
  readonly deliveredAt: number | null
}

/** Positions of one chain after a place, up to and including `upTo`; null: up to the newest final block, for ever. */
export interface RecordSpan extends SpanPlace {
  readonly upTo: number | null
  /** The contracts whose records are reported; absent if the span has an end. */
  readonly contracts?: readonly IndexedContract[]
}

/** The failure that holds up the oldest message. */
export interface HookFailure {
  /** When the first attempt failed, in milliseconds. */
  readonly since: number
  /** Time for which attempts have failed, by a monotonic clock. */
  readonly elapsedMs: number
  readonly attempts: number
  /** When the next attempt is due, in milliseconds. */
  readonly nextAt: number
  /** The reason of the last attempt. */
  readonly message: string
}

export const pauseFirstMs = 1_000
export const pauseMaxMs = 3_600_000
/** A message that could not be delivered for so long stops its hook. */
export const givingUpMs = 3 * 24 * 3_600_000

/**
 * The pause after so many failed attempts, up to an hour: each is twice as long as the one before, and no shorter than
 * the receiver asks for.
 */
export function pauseAfter(attempts: number, retryAfterMs = 0): number {
  return Math.min(pauseMaxMs, Math.max(retryAfterMs, pauseFirstMs * 2 ** Math.min(attempts - 1, 20)))
}

/**
 * The state after a failed attempt.
 * @param passedMs the time since the attempt before.
 */
export function afterFailure(
  state: HookState,
  {
    message,
    now,
    passedMs,
    retryAfterMs,
  }: DeliveryFailure & { readonly now: number; readonly passedMs: number },
): HookState {
  const { since = now, elapsedMs: elapsedBefore = 0, attempts: attemptsBefore = 0 } = state.failure ?? {}
  const attempts = attemptsBefore + 1
  const elapsedMs = state.failure === null ? 0 : elapsedBefore + passedMs
  const failure = { since, elapsedMs, attempts, nextAt: now + pauseAfter(attempts, retryAfterMs), message }
  const stopped =
    elapsedMs < givingUpMs ? null : `nothing could be delivered for three days, at last because ${message}`
  return { ...state, failure, stopped }
}

/** The state after a delivery. */
export function afterDelivery(state: HookState, now: number): HookState {
  return { ...state, failure: null, deliveredCount: state.deliveredCount + 1, deliveredAt: now }
}

/** Parses the text of the column, which a sender wrote; null before the hook has begun. */
export function parseHookState(text: string | null): HookState | null {
  return text === null ? null : (JSON.parse(text) as HookState)
}
