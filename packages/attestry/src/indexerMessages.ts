import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { RequestLimits } from '@attestry/core/chain/requestBudget.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { IndexSettings } from '@attestry/host/database.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import type { WingSettings } from './composition.ts'

/** The start data of the indexer's thread. */
export interface IndexerSettings extends IndexSettings {
  readonly database: DatabaseConfig
  /** Limits of all endpoints together. */
  readonly requests: RequestLimits
  readonly chains: readonly ChainConfig[]
  readonly wings: WingSettings
}

/** A message from the indexer's thread. */
export type IndexerMessage =
  /** The thread holds the lock and has migrated the database: others may read. */
  | { readonly kind: 'migrated' }
  /** Each chain is marked as starting: no answer takes it for one at its head. */
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'log'
      readonly level: Parameters<SyncLog>[0]
      readonly message: string
      /** Plain JSON values. */
      readonly facts: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'status'; readonly status: ChainStatus }
  /** Requests to endpoints since the start; sent before every other message, and once a second. */
  | { readonly kind: 'rpcCounts'; readonly counts: readonly RpcCount[] }
  /** Every chain has stopped on a broken invariant. */
  | { readonly kind: 'idle' }
  /** The thread failed, and ends after this message. */
  | { readonly kind: 'failed'; readonly message: string }

/** The only message to the indexer's thread: stop. */
export interface StopMessage {
  readonly kind: 'stop'
}
