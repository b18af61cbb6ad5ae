import type { Logger } from 'pino'
import type { RpcCount } from '../api/metrics/createMetrics.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { ChainConfig } from './config/resolveChains.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'
import type { ServerConfig } from './config/resolveServer.ts'
import type { PreparedExplorer } from './explorer/prepareExplorer.ts'

/** The API, answering. */
export interface RunningApi {
  /** Where a program on this machine reaches it, without a slash at the end. */
  readonly url: string
  readonly reader: IndexReader
  close(): Promise<void>
}

export interface ApiSettings {
  readonly database: DatabaseConfig
  readonly server: ServerConfig
  /** The chains whose events can be proven, as their endpoints are known. */
  readonly chains: readonly ChainConfig[]
  /** Chains that `/readyz` waits for. */
  readonly chainIds: readonly ChainId[]
  readonly logger: Logger
  /** The web app; null where it is not wanted. */
  readonly explorer: PreparedExplorer | null
  /** Requests to endpoints, where this process indexes. */
  readonly rpcCounts?: () => readonly RpcCount[]
}

/**
 * Opens the database for reading and serves it: in this process where one worker is enough, else in processes of their own.
 * @throws StartError when the address cannot be listened on.
 */
export async function startApi(settings: ApiSettings): Promise<RunningApi> {
  // What answers requests takes a while to load, and is not needed here where others do.
  if (settings.server.workers === 1) {
    const { serveHere } = await import('./serveHere.ts')
    return await serveHere(settings)
  }
  const { startWorkers } = await import('./workers/startWorkers.ts')
  return await startWorkers(settings)
}
