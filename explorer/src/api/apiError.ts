/** An answer of the interface that is no success, or none at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status; 0 where the server could not be reached. */
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }

  /** Whether the same question may be answered a moment later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}
