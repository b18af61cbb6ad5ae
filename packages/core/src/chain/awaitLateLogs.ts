import { RpcRangeTooLargeError, RpcRefusedError } from '../errors/rpcErrors.ts'
import { logsBloomOf } from '../model/logsBloom.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { BlockHeader, LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { LogPatience } from './createLogPatience.ts'
import { fetchBlockLogs } from './fetchBlockLogs.ts'

export interface AwaitedLogs {
  readonly filter: Pick<LogFilter, 'addresses' | 'topics'>
  readonly patience: LogPatience
  readonly clock: ResolvedOptions['clock']
  /** Endpoints that are asked only when no other one answers. */
  readonly last: readonly Endpoint[]
}

/** Between two requests for logs that are late. */
const pauseMs = 500

/**
 * The logs of blocks whose bloom announces some, and for which the endpoints gave none. A node may know a header before
 * the logs of its block, and answers with nothing meanwhile, by number and by hash alike. A block certainly has no such
 * logs if the bloom of all its logs, of any contract, equals that of its header. Any other block is waited for, as long
 * as `patience` allows.
 */
export async function awaitLateLogs(
  pool: EndpointPool,
  blocks: readonly BlockHeader[],
  { filter, patience, clock, last }: AwaitedLogs,
  signal: AbortSignal,
): Promise<readonly FetchedLog[]> {
  const found: FetchedLog[] = []
  let waiting: readonly BlockHeader[] = blocks
  let leftMs = patience.leftMs()
  if (leftMs === 0) return found
  for (let hasWaited = false; ; hasWaited = true) {
    const unknown: BlockHeader[] = []
    for (const block of waiting) {
      const whole = await fetchWholeBlock(pool, block, last, signal)
      if (whole === null) unknown.push(block)
      else found.push(...whole.filter((log) => isOf(filter, log)))
    }
    if (unknown.length === 0) {
      if (hasWaited) patience.noteWorth()
      return found
    }
    if (leftMs <= 0) {
      patience.noteVain()
      return found
    }
    await clock.sleep(Math.min(pauseMs, leftMs), signal)
    leftMs -= pauseMs
    const logs = await fetchBlockLogs(pool, unknown, filter, signal, last)
    found.push(...logs)
    const heard = new Set(logs.map(({ blockNumber }) => blockNumber))
    waiting = unknown.filter(({ number }) => !heard.has(number))
  }
}

/** All logs of a block, of any contract, in their order; null if an endpoint does not give them all. */
async function fetchWholeBlock(
  pool: EndpointPool,
  block: BlockHeader,
  last: readonly Endpoint[],
  signal: AbortSignal,
): Promise<readonly FetchedLog[] | null> {
  try {
    const logs = await fetchBlockLogs(pool, [block], { addresses: [], topics: [] }, signal, last)
    return logsBloomOf(logs) === block.logsBloom ? logs : null
  } catch (error) {
    // An endpoint may refuse the logs of all contracts, or of so large a block.
    if (signal.aborted || !(error instanceof RpcRefusedError || error instanceof RpcRangeTooLargeError))
      throw error
    return null
  }
}

function isOf({ addresses, topics }: Pick<LogFilter, 'addresses' | 'topics'>, log: FetchedLog): boolean {
  const [topic] = log.topics
  return topic !== undefined && topics.includes(topic) && addresses.includes(log.address)
}
