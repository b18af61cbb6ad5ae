import type { RequestCount } from '@attestry/server/pipeline/limits/requestCounts.ts'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { ProcessSnapshot } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import type { ServerConfig } from '@attestry/host/config/resolveServer.ts'

import type { WingSettings } from '../composition.ts'
import type { CountedClient } from './createRemoteCounts.ts'

/** The start data of a worker. */
export interface WorkerSettings {
  readonly database: DatabaseConfig
  /** `port` is the port that all workers listen on. */
  readonly server: ServerConfig
  readonly chains: readonly ChainConfig[]
  readonly chainIds: readonly ChainId[]
  readonly wings: WingSettings
}

/** A message from the main process to a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings }
  /** The worker may listen, once it has started. */
  | { readonly kind: 'listen' }
  /** The answer to `count`, in the order of its clients. */
  | { readonly kind: 'counted'; readonly id: number; readonly counts: readonly RequestCount[] }
  /** The answer to `readMetrics`. */
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string }
  /** The last status of each chain that the indexer of the main process reported. */
  | { readonly kind: 'statuses'; readonly statuses: readonly ChainStatus[] }
  /** A writer of the main process has committed; see `commitHints.ts`. */
  | { readonly kind: 'committed' }
  /** Asks for a snapshot of the worker's metrics. */
  | { readonly kind: 'takeSnapshot'; readonly id: number }
  /** Ends the worker. */
  | { readonly kind: 'stop' }

/** A message from a worker to the main process. */
export type FromWorker =
  | { readonly kind: 'listening' }
  /** The worker failed; its process ends after this message. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A line of the log, as JSON. */
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'count'; readonly id: number; readonly counted: readonly CountedClient[] }
  /** Asks for the metrics of all processes as text. */
  | { readonly kind: 'readMetrics'; readonly id: number }
  | {
      readonly kind: 'snapshot'
      readonly id: number
      readonly snapshot: ProcessSnapshot
      readonly rpcCounts: readonly RpcCount[]
    }
