import { AttestryError } from '../errors/baseError.ts'
import { StoreUnavailableError } from '../errors/storeErrors.ts'

/** The reaction to the failure of a chain. */
export type AfterFailure =
  /** A broken invariant or a defect: only an operator can help. */
  { readonly kind: 'stop' } | { readonly kind: 'retry'; readonly delayMs: number; readonly isLogged: boolean }

/** Longest pause between two attempts while a chain does not answer. */
const retryDelayMaxMs = 8_000
const retryDelayFirstMs = 500
/** The same while the database is away. No other process can take the chain over meanwhile. */
const storeRetryDelayMaxMs = 4_000

/** `failures`: the failures in a row, this one among them. */
export function afterFailure(error: unknown, failures: number): AfterFailure {
  if (!(error instanceof AttestryError) || !error.retryable) return { kind: 'stop' }
  const maxMs = error instanceof StoreUnavailableError ? storeRetryDelayMaxMs : retryDelayMaxMs
  const delayMs = Math.min(maxMs, retryDelayFirstMs * 2 ** (failures - 1))
  // Logged when the failure begins and then ever more rarely: a chain that is away for a day must not fill the log.
  return { kind: 'retry', delayMs, isLogged: Math.log2(failures) % 1 === 0 }
}
