import type { IncomingMessage } from 'node:http'
import type { CountedRequest } from '../limits/requestCounts.ts'

/**
 * The requests that were begun before the router saw them, and that it has to answer. Their routes do nothing of it
 * again.
 */
export type BegunRequests = WeakMap<IncomingMessage, BegunRequest>

export interface BegunRequest {
  /** By `performance.now()`. */
  readonly startMs: number
  /** The requests of the client, this one included; null where the requests of clients are not limited. */
  readonly count: CountedRequest | null
  /** Why there is no answer; null where none was looked for. */
  readonly failure: BegunFailure | null
}

export interface BegunFailure {
  /** The index version before the read. */
  readonly version: number
  readonly error: unknown
}
