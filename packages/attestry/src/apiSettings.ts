import type { Logger } from 'pino'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import type { ServerConfig } from '@attestry/host/config/resolveServer.ts'
import type { WingSettings } from './composition.ts'

/** How long requests under way may take to end, of the two seconds within which a service stops. */
export const closeLimitMs = 1_700

/** The API, listening. */
export interface RunningApi {
  /** The URL for clients on this machine, without a slash at the end. */
  readonly url: string
  /** Ends the API, its worker processes included; requests under way have `closeLimitMs` to end. */
  close(): Promise<void>
}

export interface ApiSettings {
  readonly database: DatabaseConfig
  readonly server: ServerConfig
  /** Chains whose events can be proven. */
  readonly chains: readonly ChainConfig[]
  /** Chains that must have reached their head for `/readyz` to answer 200. */
  readonly chainIds: readonly ChainId[]
  readonly logger: Logger
  readonly wings: WingSettings
  /** Whether the server will listen; true by default. */
  readonly listens?: boolean
  /** Resolves when the server may listen; until then it only opens. Absent: at once. */
  readonly mayListen?: Promise<void>
  /** Requests to endpoints so far; absent if this process does not index. */
  readonly rpcCounts?: () => readonly RpcCount[]
  /** The last status of each chain that the indexer of this process reported; absent if this process does not index. */
  readonly statuses?: () => readonly ChainStatus[]
}
