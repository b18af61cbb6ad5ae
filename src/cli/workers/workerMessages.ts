import type { RequestCount } from '../../api/limits/requestCounts.ts'
import type { ProcessSnapshot, RpcCount } from '../../api/metrics/createMetrics.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { ChainConfig } from '../config/resolveChains.ts'
import type { DatabaseConfig } from '../config/resolveDatabase.ts'
import type { ServerConfig } from '../config/resolveServer.ts'

/** What a worker is given to start with. */
export interface WorkerSettings {
  readonly database: DatabaseConfig
  /** With the port that all of them listen on. */
  readonly server: ServerConfig
  readonly chains: readonly ChainConfig[]
  readonly chainIds: readonly ChainId[]
  /** Whether it serves the web app; where that is comes with a message of its own. */
  readonly explorer: boolean
}

/** What the main process tells a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings }
  /** Where the web app's build is; null: there is none. */
  | { readonly kind: 'explorer'; readonly folder: string | null }
  /** The answer to `count`, in its order. */
  | { readonly kind: 'counted'; readonly id: number; readonly counts: readonly RequestCount[] }
  /** The answer to `readMetrics`. */
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string }
  /** Asks for a snapshot of the figures of this process. */
  | { readonly kind: 'takeSnapshot'; readonly id: number }
  /** To end what it is doing. */
  | { readonly kind: 'stop' }

/** What a worker tells the main process. */
export type FromWorker =
  | { readonly kind: 'listening' }
  /** It cannot start; the process ends after this. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A line of the log, as JSON. */
  | { readonly kind: 'log'; readonly line: string }
  /** Counts a request of each of these clients. */
  | { readonly kind: 'count'; readonly id: number; readonly clients: readonly string[] }
  /** Asks for the figures of all processes as text. */
  | { readonly kind: 'readMetrics'; readonly id: number }
  | {
      readonly kind: 'snapshot'
      readonly id: number
      readonly snapshot: ProcessSnapshot
      readonly rpcCounts: readonly RpcCount[]
    }
