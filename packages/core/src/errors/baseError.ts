/**
 * Every error that this program makes on purpose. The message is one sentence for people; programs read `code` and
 * `facts`. Neither may hold a secret: of an endpoint, only the host appears.
 */
export abstract class AttestryError extends Error {
  /** Stable identifier, in capitals; `docs/errors.md` lists them all. */
  abstract readonly code: string
  /** Whether the same call may succeed later without a change by the operator. */
  readonly retryable: boolean
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    options: { cause?: unknown; retryable?: boolean; facts?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.retryable = options.retryable ?? false
    this.facts = options.facts ?? {}
  }
}

/** One sentence about anything thrown, without a stack and on one line. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** A sentence as the part of another one: without the full stop at its end. */
export function asClause(sentence: string): string {
  return sentence.replace(/(?<!\.)\.$/, '')
}
