import { bloomMayContain } from '../model/logsBloom.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { BlockRef } from '../model/chainState.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { BlockHeader, LogFilter } from './chainClient.ts'
import { awaitLateLogs } from './awaitLateLogs.ts'
import { askEndpoints, type Vote } from './askEndpoints.ts'
import type { AnswerChecks } from './createAnswerChecks.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { LogPatience } from './createLogPatience.ts'
import { fetchBlockLogs } from './fetchBlockLogs.ts'
import { fetchLogParts, type LogOptions } from './fetchLogs.ts'
import { fetchPart, type LogPart } from './fetchPart.ts'

export type CheckedLogOptions = LogOptions & {
  readonly patience: LogPatience
  readonly checks: Pick<AnswerChecks, 'mayBeCut'>
}

/** Blocks of so many seconds before the last one are new: a node may have them without their logs. */
const newSeconds = 60

/**
 * The logs of consecutive blocks with known headers, in the order of the chain, each with the time of its block. Behind a
 * load balancer, the header and the logs may come from different nodes: one on another fork, or one without the block,
 * which answers `[]`. Therefore each log must have the block hash of its header. A block without logs whose bloom matches
 * the filter is requested again by its hash, from another endpoint if there is one. If the block is new and still has no
 * logs, they may be late (`awaitLateLogs`). Empty and missing blooms leave nothing to check. Omitted and invented logs
 * count against their endpoint.
 * @throws InconsistentChainError, retryable.
 */
export async function fetchCheckedLogs(
  pool: EndpointPool,
  headers: readonly BlockHeader[],
  filter: Pick<LogFilter, 'addresses' | 'topics'>,
  options: CheckedLogOptions,
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
        !heard.has(number) &&
        logsBloom !== null &&
        bloomMayContain(logsBloom, filter.addresses, filter.topics),
    )
    const mayBeCut = options.checks.mayBeCut(part)
    if (silent.length === 0 && !mayBeCut) continue
    const others = [part.endpoint]
    const told = await fetchBlockLogs(pool, silent, filter, signal, others)
    const toldBlocks = new Set(told.map(({ blockNumber }) => blockNumber))
    const untold = silent.filter(
      ({ number, timestamp }) => !toldBlocks.has(number) && timestamp > last.timestamp - newSeconds,
    )
    const awaited = { filter, patience: options.patience, clock: options.clock, last: others }
    const late = untold.length === 0 ? [] : await awaitLateLogs(pool, untold, awaited, signal)
    const [missed] = told
    for (const log of [...told, ...late]) logs.push(log)
    if (missed === undefined && !mayBeCut) continue
    // An answer that lacks the logs of some blocks may lack some logs of the others.
    const rest = own.filter(({ number }) => heard.has(number))
    const again = Map.groupBy(
      await fetchBlockLogs(pool, rest, filter, signal, others),
      ({ blockNumber }) => blockNumber,
    )
    let cut = missed?.blockNumber
    for (const { number } of rest) {
      const given = logs.filter(({ blockNumber }) => blockNumber === number)
      const whole = again.get(number) ?? []
      if (whole.length <= given.length) continue
      const [first] = given
      if (first !== undefined) logs.splice(logs.indexOf(first), given.length, ...whole)
      cut ??= number
    }
    if (cut === undefined) continue
    pool.noteContradiction(part.endpoint, leftOut(part.endpoint.host, cut))
  }
  // The logs of one block come from one answer, in their order.
  return logs.sort((a, b) => a.blockNumber - b.blockNumber)
}

/**
 * The logs of consecutive blocks, read once more by their numbers, from each healthy endpoint that answers in time; from
 * whichever answers at all where none does in time.
 * @throws InconsistentChainError, retryable, if no endpoint gives logs of these very blocks.
 */
export async function fetchLogsAgain(
  pool: EndpointPool,
  blocks: readonly BlockRef[],
  filter: Pick<LogFilter, 'addresses' | 'topics'>,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly Vote<readonly FetchedLog[]>[]> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) return []
  const range = { ...filter, fromBlock: first.number, toBlock: last.number }
  const readPart = (part: LogPart) =>
    logsOnChain(pool, part, blocks.slice(part.fromBlock - first.number, part.toBlock - first.number + 1))
  const ask = async (endpoint: Endpoint, inTime: AbortSignal) => {
    const logs: FetchedLog[] = []
    for (let { fromBlock } = range; fromBlock <= range.toBlock;) {
      const part = await fetchPart(endpoint, { ...range, fromBlock }, options, inTime)
      // The endpoint demands a narrower range.
      if (part === null) continue
      for (const log of readPart(part)) logs.push(log)
      fromBlock = part.toBlock + 1
    }
    return logs
  }
  const endpoints = pool.available()
  const votes = endpoints.length < 2 ? [] : await askEndpoints(endpoints, ask, options, signal)
  if (votes.length > 0) return votes
  const parts = await fetchLogParts(pool, range, null, options, signal)
  const [endpoint] = parts.map((part) => part.endpoint)
  return endpoint === undefined ? [] : [{ endpoint, value: parts.flatMap(readPart) }]
}

function logsOnChain(pool: EndpointPool, part: LogPart, headers: readonly BlockRef[]): FetchedLog[] {
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
