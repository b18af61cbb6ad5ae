/** HTTP POST to one endpoint: the edge of the program, behind which a simulated network can stand as well. */
export interface HttpTransport {
  /**
   * `bytesMax` bounds the body of the answer, decompressed: the connection is given up as soon as more has come.
   * @throws RpcUnreachableError with `facts.reason` `timeout`, `refused` (nothing listens there) or `broken` (anything
   *   else that ends a connection), RpcMalformedError for a body that is too large (`facts.reason` is `tooLarge`) or
   *   cannot be decompressed; the signal's reason when it is aborted.
   */
  post(body: string, signal: AbortSignal, bytesMax: number): Promise<HttpAnswer>
  /** Ends all connections at once; requests under way reject. */
  destroy(): Promise<void>
}

export interface HttpAnswer {
  readonly status: number
  readonly retryAfterMs: number | null
  readonly text: string
}
