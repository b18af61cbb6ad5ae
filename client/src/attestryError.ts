import type { BehindChain } from './behind.ts'

/** A failed request: an error answer of the server, or no answer at all. */
export class AttestryError extends Error {
  override readonly name = 'AttestryError'
  /** The HTTP status; 0 if the server did not answer in time. */
  readonly status: number
  /** The pause that the server asks for, in milliseconds; null if the answer names none. */
  readonly retryAfterMs: number | null
  /** Whether the server has no such path, or is no Attestry service: a 404 that says nothing of any record. */
  readonly isUnknownPath: boolean
  /** The chains on which the index is behind: a record that is not found may exist. */
  readonly behind: readonly BehindChain[]

  /** `message` is the server's own sentence if the answer has one. */
  constructor(
    status: number,
    message: string,
    options: ErrorOptions & {
      readonly retryAfterMs?: number | null
      readonly isUnknownPath?: boolean
      readonly behind?: readonly BehindChain[]
    } = {},
  ) {
    super(message, options)
    this.status = status
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isUnknownPath = options.isUnknownPath ?? false
    this.behind = options.behind ?? []
  }

  /** Whether the same request may succeed later: the server was unreachable, busy or failing. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}
