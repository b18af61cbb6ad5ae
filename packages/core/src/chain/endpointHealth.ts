import type { AttestryError } from '../errors/baseError.ts'

/**
 * The record of an endpoint's failures, as a value. Invariant: `availableAtMs` lies in the future only after a failure,
 * until the next success.
 */
export interface EndpointHealth {
  /** The earliest time of the next request, apart from pauses and quarantines. */
  readonly availableAtMs: number
  /** Failures since the last success. */
  readonly failures: number
  readonly failuresEver: number
  /** The newest failure; null while the endpoint is healthy. */
  readonly lastError: AttestryError | null
  /** The longest pause that the endpoint asked for, and the error in which it did; a success does not end it. */
  readonly pause: { readonly untilMs: number; readonly error: AttestryError } | null
}

export const healthy: EndpointHealth = {
  availableAtMs: 0,
  failures: 0,
  failuresEver: 0,
  lastError: null,
  pause: null,
}

/** The delay that an error asks for, in milliseconds; null: none. */
export function delayAsked(error: AttestryError): number | null {
  const wait = error.facts['retryAfterMs']
  return typeof wait === 'number' ? wait : null
}

/** The health once an error has asked for a pause, if it has. */
export function afterAsking(before: EndpointHealth, error: AttestryError, nowMs: number): EndpointHealth {
  const untilMs = nowMs + (delayAsked(error) ?? 0)
  return untilMs > nowMs && untilMs > (before.pause?.untilMs ?? 0)
    ? { ...before, pause: { untilMs, error } }
    : before
}

/** The health after a failure. `delayMs`: until the next request. */
export function afterFailure(
  before: EndpointHealth,
  {
    error,
    nowMs,
    delayMs,
  }: { readonly error: AttestryError; readonly nowMs: number; readonly delayMs: number },
): EndpointHealth {
  return {
    ...before,
    availableAtMs: Math.max(before.availableAtMs, nowMs + delayMs),
    failures: before.failures + 1,
    failuresEver: before.failuresEver + 1,
    lastError: error,
  }
}

export function afterSuccess(before: EndpointHealth): EndpointHealth {
  return { ...before, availableAtMs: 0, failures: 0, lastError: null }
}

/** The error in which the endpoint asked for a pause that is not over; null: none. */
export function pauseAt({ pause }: EndpointHealth, nowMs: number): AttestryError | null {
  return pause !== null && pause.untilMs > nowMs ? pause.error : null
}

/** How far an endpoint is trusted, as a value. */
export interface EndpointTrust {
  /** When it contradicted other endpoints: within an hour before the newest time, and since the last quarantine. */
  readonly contradictedAtMs: readonly number[]
  /** The quarantines so far. */
  readonly quarantines: number
  readonly quarantinedUntilMs: number
}

export const trusted: EndpointTrust = { contradictedAtMs: [], quarantines: 0, quarantinedUntilMs: 0 }

/** The length of a quarantine; doubles each time up to the maximum. */
const quarantineMs = 600_000
export const quarantineMaxMs = 21_600_000

/** More contradictions in this time than a lagging node gives. */
const contradictionsMax = 5
const contradictionWindowMs = 3_600_000

/** The trust after an answer that contradicts other endpoints. */
export function afterContradiction(before: EndpointTrust, nowMs: number): EndpointTrust {
  const recent = before.contradictedAtMs.filter((atMs) => atMs > nowMs - contradictionWindowMs)
  return { ...before, contradictedAtMs: [...recent, nowMs] }
}

/** Whether there were more contradictions than a lagging node gives. */
export function isContradictory({ contradictedAtMs }: EndpointTrust): boolean {
  return contradictedAtMs.length >= contradictionsMax
}

/** The trust from the beginning of a quarantine on, which is longer than the one before. */
export function inQuarantine({ quarantines }: EndpointTrust, nowMs: number): EndpointTrust {
  const delayMs = Math.min(quarantineMs * 2 ** Math.min(quarantines, 20), quarantineMaxMs)
  return { contradictedAtMs: [], quarantines: quarantines + 1, quarantinedUntilMs: nowMs + delayMs }
}
