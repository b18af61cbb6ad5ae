import type { EncodedCalls } from './matchAnswers.ts'

/** The connections to one endpoint: the edge of the program, behind which a simulated network can stand as well. */
export interface RpcTransport {
  /**
   * One exchange. `bytesMax` bounds the body of the answer, decompressed.
   * @throws RpcUnreachableError with `facts.reason` `timeout`, `refused` (nothing listens there) or `broken` (anything
   *   else that ends a connection).
   * @throws RpcMalformedError for a body that is too large (`facts.reason` is `tooLarge`) or cannot be decompressed.
   * @throws the signal's reason if it is aborted.
   */
  post(calls: EncodedCalls, signal: AbortSignal, bytesMax: number): Promise<RpcReply>
  /** Keeps one connection open for messages that the endpoint sends unasked; null if it cannot send any (HTTP). */
  readonly listen: ((listener: NotificationListener) => ListeningConnection) | null
  /** Ends all connections at once; requests under way reject. */
  destroy(): Promise<void>
}

/** The answer to a request, or the refusal of a connection for it. */
export interface RpcReply {
  /** The status of HTTP; 200 for an answer over WebSocket. */
  readonly status: number
  readonly retryAfterMs: number | null
  /** The parsed JSON of the body; undefined if the body is not JSON. */
  readonly body: unknown
  /** The beginning of the text of a body that is no JSON, without the tags of HTML. */
  readonly text?: string
}

export interface NotificationListener {
  /** Called with the `params` of a notification of `eth_subscribe`. */
  onNotification(params: unknown): void
  /** Called once, when the connection is lost; the subscriptions made over it are lost too. */
  onClosed(): void
}

/** The wish for notifications. */
export interface ListeningConnection {
  /**
   * Ends the listening; no call of the listener follows. Requests under way get their answers over the old connection.
   */
  close(): void
}
