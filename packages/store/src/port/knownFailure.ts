import {
  StoreIncompatibleError,
  StoreInvariantError,
  StoreUnavailableError,
} from '@attestry/core/errors/storeErrors.ts'

/** A failure that a database reports by a code. */
export interface KnownFailure {
  /** `passing`: another attempt may succeed. */
  readonly kind: 'passing' | 'lasting' | 'incompatible' | 'invariant'
  /** The rest of the message, after the name of the database. */
  readonly text: string
}

/** The error of ours for a failure. `place` names the database. */
export function errorOfFailure(
  place: string,
  { kind, text }: KnownFailure,
  options: { readonly cause: Error; readonly facts: Readonly<Record<string, unknown>> },
) {
  const message = `the database ${place} ${text}`
  switch (kind) {
    case 'passing':
      return new StoreUnavailableError(message, { ...options, retryable: true })
    case 'lasting':
      return new StoreUnavailableError(message, options)
    case 'incompatible':
      return new StoreIncompatibleError(message, options)
    case 'invariant':
      return new StoreInvariantError(
        `a record contradicts the database ${place}: ${options.cause.message}`,
        options,
      )
  }
}
