import { AttestryError } from '../errors/baseError.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { fetchPart, type LogOptions } from './fetchLogs.ts'

/** Requests in a row that an endpoint may fail before another one is asked. */
const failuresMax = 3

/**
 * The first log of a filter that `matches`, of final blocks, whichever endpoint has it: one after the other is asked for the whole
 * range. null where none has one. The log's time may be missing (0).
 */
export async function findLog(
  pool: EndpointPool,
  filter: LogFilter,
  matches: (log: ChainLog) => boolean,
  options: LogOptions & Pick<ResolvedOptions, 'retryDelayMs'>,
  signal: AbortSignal,
): Promise<ChainLog | null> {
  for (const endpoint of pool.available()) {
    const found = await findAt(endpoint, filter, matches, options, signal)
    if (found !== null) return found
  }
  return null
}

async function findAt(
  endpoint: Endpoint,
  filter: LogFilter,
  matches: (log: ChainLog) => boolean,
  options: LogOptions & Pick<ResolvedOptions, 'retryDelayMs'>,
  signal: AbortSignal,
): Promise<ChainLog | null> {
  let { fromBlock } = filter
  let failures = 0
  while (fromBlock <= filter.toBlock) {
    try {
      const part = await fetchPart(endpoint, { ...filter, fromBlock }, options, signal)
      if (part === null) continue
      const found = part.logs.find(matches)
      if (found !== undefined) return found
      failures = 0
      fromBlock = part.toBlock + 1
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof AttestryError)) throw error
      failures++
      if (failures >= failuresMax) return null
      await options.clock.sleep(options.retryDelayMs * 2 ** failures, signal)
    }
  }
  return null
}
