import type { RpcCount } from '../api/metrics/createMetrics.ts'
import type { RequestLimits } from '../chain/requestBudget.ts'
import type { ChainStatus } from '../model/chainState.ts'
import type { SyncLog } from '../sync/indexedChain.ts'
import type { ChainConfig } from './config/resolveChains.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'

/** What the indexer's thread is given to start with. */
export interface IndexerSettings {
  readonly database: DatabaseConfig
  /** How much all endpoints together are asked at most. */
  readonly requests: RequestLimits
  readonly chains: readonly ChainConfig[]
}

/** What the indexer's thread tells. */
export type IndexerMessage =
  /** It holds the lock and the database is open: others may read it. */
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'log'
      readonly level: Parameters<SyncLog>[0]
      readonly message: string
      /** Plain JSON values. */
      readonly facts: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'status'; readonly status: ChainStatus }
  /** Requests to endpoints since the start; sent when they have changed, a few times a minute at rest. */
  | { readonly kind: 'rpcCounts'; readonly counts: readonly RpcCount[] }
  /** Every chain has stopped on a broken invariant; there is nothing left to index. */
  | { readonly kind: 'idle' }
  /** It cannot go on; the thread ends after this. */
  | { readonly kind: 'failed'; readonly message: string }

/** The one thing that the indexer's thread is told: to end what it is doing. */
export interface StopMessage {
  readonly kind: 'stop'
}
