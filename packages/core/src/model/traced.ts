import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'

/**
 * Work whose begin and end a tracer may follow, by channels of Node.js: without a tracer they cost a look at a flag.
 * `packages/tracing/src` makes spans of OpenTelemetry of them.
 */
export const traced = {
  /** A request to an endpoint, of one call or a batch. */
  rpc: channel<TracedRpc>('attestry:rpc'),
  /** The transaction that applies blocks of a chain. */
  commit: channel<TracedCommit>('attestry:commit'),
  /** A statement of a database. */
  statement: channel<TracedStatement>('attestry:statement'),
  /** An answer that a route of the server makes. It only begins: the response says when it ends. */
  route: channel<TracedRoute>('attestry:route'),
}

export interface TracedRpc {
  /** Without credentials. */
  readonly host: string
  readonly methods: readonly string[]
  /** Headers for the request, which the tracer may add to. */
  readonly headers: Record<string, string>
}

export interface TracedCommit {
  readonly chainId: string
  readonly fromBlock: number
  readonly toBlock: number
}

export interface TracedStatement {
  readonly system: 'sqlite' | 'postgresql'
  /** The text, whose parameters are placeholders. */
  readonly text: string
}

export interface TracedRoute {
  readonly request: object
  /** As it was declared, with parameters as `:name`. */
  readonly path: string
}

function channel<Work extends object>(name: string): TracingChannel<Work, unknown> {
  return tracingChannel<Work, unknown>(name)
}
