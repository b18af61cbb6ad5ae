import { bloomMayContain } from '../model/logsBloom.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { BlockHeader, LogFilter } from './chainClient.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { fetchBlockLogs } from './fetchBlockLogs.ts'
import { fetchLogParts, type LogOptions } from './fetchLogs.ts'
import type { LogPart } from './fetchPart.ts'

/**
 * The logs of consecutive blocks with known headers, in the order of the chain, each with the time of its block. Behind a load
 * balancer, the header and the logs may come from different nodes: one on another fork, or one without the block, which
 * answers `[]`. Therefore each log must have the block hash of its header. A block without logs whose bloom matches the
 * filter is requested again by its hash, from another endpoint if there is one. (Empty blooms leave nothing to check.)
 * Omitted and invented logs count against their endpoint.
 * @throws InconsistentChainError, retryable.
 */
export async function fetchCheckedLogs(
  pool: EndpointPool,
  headers: readonly BlockHeader[],
  filter: Pick<LogFilter, 'addresses' | 'topics'>,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly FetchedLog[]> {
  const first = headers[0]
  const last = headers.at(-1)
  if (first === undefined || last === undefined) return []
  const range = { ...filter, fromBlock: first.number, toBlock: last.number }
  const parts = await fetchLogParts(pool, range, null, options, signal)
  const logs: FetchedLog[] = []
  for (const part of parts) {
    const own = headers.slice(part.fromBlock - first.number, part.toBlock - first.number + 1)
    for (const log of logsOnChain(pool, part, own)) logs.push(log)
    const heard = new Set(part.logs.map((log) => log.blockNumber))
    const silent = own.filter(
      ({ number, logsBloom }) =>
        !heard.has(number) && bloomMayContain(logsBloom, filter.addresses, filter.topics),
    )
    if (silent.length === 0) continue
    const found = await fetchBlockLogs(pool, silent, filter, signal, [part.endpoint])
    const [missed] = found
    if (missed === undefined) continue
    pool.noteContradiction(part.endpoint, leftOut(part.endpoint.host, missed.blockNumber))
    for (const log of found) logs.push(log)
  }
  // The logs of one block come from one answer, in their order.
  return logs.sort((a, b) => a.blockNumber - b.blockNumber)
}

function logsOnChain(pool: EndpointPool, part: LogPart, headers: readonly BlockHeader[]): FetchedLog[] {
  const { host } = part.endpoint
  return part.logs.map((log) => {
    const header = headers[log.blockNumber - part.fromBlock]
    const isDated = !part.undatedBlocks.has(log.blockNumber)
    if (
      header === undefined ||
      header.hash !== log.blockHash ||
      (isDated && header.timestamp !== log.blockTimestamp)
    ) {
      const error = new InconsistentChainError(
        `The logs of ${host} stand in another block ${log.blockNumber} than its header says.`,
        { retryable: true, facts: { host, blockNumber: log.blockNumber } },
      )
      pool.noteContradiction(part.endpoint, error)
      throw error
    }
    return isDated ? log : { ...log, blockTimestamp: header.timestamp }
  })
}

function leftOut(host: string, blockNumber: number): InconsistentChainError {
  return new InconsistentChainError(`${host} left out the logs of block ${blockNumber}.`, {
    retryable: true,
    facts: { host, blockNumber },
  })
}
