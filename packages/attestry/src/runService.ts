import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { Output } from '@attestry/host/createOutput.ts'
import { readWingFiles } from '@attestry/server/wing.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import type { RunningApi } from './apiSettings.ts'
import type { Composition } from './composition.ts'
import { loadApi } from './loadApi.ts'
import { startIndexer, type RunningIndexer } from './startIndexer.ts'
import { tidyAfterStart } from './tidyAfterStart.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly output: Output
  readonly composition: Composition
  /** Whether to index, and whether to serve. */
  readonly index: boolean
  readonly serve: boolean
  /** Called before the server listens. */
  readonly beforeServing?: () => Promise<void>
  readonly onServing?: (api: RunningApi) => void
  readonly onStatus?: (status: ChainStatus) => void
}

/**
 * Indexes, serves or both until `signal` aborts; then ends cleanly.
 * @throws StartError when the service cannot start, or the indexer ends by itself.
 * @throws ConfigError for a file that the configuration names and that cannot be used.
 */
export async function runService(options: ServiceOptions, signal: AbortSignal): Promise<void> {
  const { config, output, composition } = options
  const configs = options.serve ? await readWingFiles(composition.wings, config.wings) : config.wings
  const wings = { url: composition.url, configs }
  const { server } = config
  const progress = output.openProgress(config.chains)
  let indexer: RunningIndexer | null = null
  let api: RunningApi | null = null
  let rpcCounts: readonly RpcCount[] = []
  const statuses = new Map<ChainId, ChainStatus>()
  const loading = options.serve ? loadApi(server) : null
  // If the start fails earlier, nobody awaits this promise.
  loading?.catch(() => undefined)
  try {
    const database = await openDatabase(config.database)
    if (options.index) {
      indexer = await startIndexer(
        {
          database: config.database,
          requests: config.requests,
          chains: config.chains,
          journal: config.journal,
          fields: config.fields,
          wings,
        },
        {
          log: output.syncLog,
          onStatus: (status) => {
            progress.update(status)
            statuses.set(status.chainId, status)
            options.onStatus?.(status)
          },
          onRpcCounts: (counts) => {
            rpcCounts = counts
          },
        },
        signal,
      )
    } else {
      const notice = await database.migrate()
      if (notice !== null) output.log.warn(notice)
    }
    if (loading !== null && !signal.aborted) {
      const startApi = await loading
      const chainIds = options.index ? config.chains.map(({ chainId }) => chainId) : []
      await options.beforeServing?.()
      api = await startApi({
        database: config.database,
        server,
        chains: config.chains,
        chainIds,
        logger: output.log,
        wings,
        ...(indexer === null
          ? {}
          : {
              mayListen: indexer.ready,
              rpcCounts: () => rpcCounts,
              statuses: () => [...statuses.values()],
            }),
      })
      output.log.info({ url: api.url }, 'serving')
      options.onServing?.(api)
    }
    await indexer?.ready
    tidyAfterStart()
    await Promise.race([aborted(signal), ...failuresOf(indexer, options)])
  } catch (error) {
    // Errors after the signal are caused by the stop.
    if (!signal.aborted) throw error
  } finally {
    progress.close()
    if (signal.aborted) output.log.info('stopping')
    // Threads and worker processes have to end before this process can; `listenForStop` has the limit for that.
    await Promise.allSettled([indexer?.stop(), api?.close()])
  }
}

function failuresOf(indexer: RunningIndexer | null, { serve }: ServiceOptions): Promise<void>[] {
  if (indexer === null) return []
  // The API goes on serving the index; the status of each chain says that the chain has stopped.
  if (serve) return [indexer.ended]
  const idle = indexer.idle.then(() => {
    throw new StartError('Every chain has stopped; the log says why')
  })
  return [indexer.ended, idle]
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
