import type { AttestryError } from '../errors/baseError.ts'
import { RpcRangeTooLargeError } from '../errors/rpcErrors.ts'
import type { Hash } from '../model/hex.ts'
import type { UnixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { isEndpointError, isTooMuch, type EndpointPool } from './createEndpointPool.ts'
import { decodeLogs, type DecodedLogs } from './decodeLogs.ts'
import { fetchBlocks } from './fetchBlocks.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { formatQuantity } from './parseQuantity.ts'
import type { Explained } from './readExchange.ts'

/** An answer with more logs, or one that took longer, is reason not to ask for a wider range. */
const lightLogsMax = 8_000
const lightMs = 3_000

/**
 * Fetches the logs of a filter in as many requests as endpoints want, some of them at a time, each log with its block's time.
 */
export async function fetchLogs(
  pool: EndpointPool,
  filter: LogFilter,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent' | 'concurrencyPerEndpoint'>,
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const stop = new AbortController()
  const inner = AbortSignal.any([signal, stop.signal])
  const parts: LogPart[] = []
  let nextBlock = filter.fromBlock

  /** Takes piece after piece, each as wide as requests are at that time. */
  async function work(): Promise<void> {
    while (nextBlock <= filter.toBlock) {
      const fromBlock = nextBlock
      const toBlock = Math.min(filter.toBlock, fromBlock + pool.preferred().logRange.width() - 1)
      nextBlock = toBlock + 1
      for (const part of await fetchParts(pool, { ...filter, fromBlock, toBlock }, options, inner)) {
        parts.push(part)
      }
    }
  }

  const workers = Array.from({ length: options.concurrencyPerEndpoint }, work)
  try {
    await Promise.all(workers)
  } catch (error) {
    stop.abort()
    await Promise.allSettled(workers)
    throw error
  }
  const logs: ChainLog[] = []
  const undatedBlocks = new Map<number, Hash>()
  for (const part of parts.sort((a, b) => a.toBlock - b.toBlock)) {
    for (const log of part.logs) logs.push(log)
    for (const [number, hash] of part.undatedBlocks) undatedBlocks.set(number, hash)
  }
  if (undatedBlocks.size === 0) return logs
  const times = await fetchBlockTimes(pool, undatedBlocks, signal)
  return logs.map((log) => ({ ...log, blockTimestamp: times.get(log.blockNumber) ?? log.blockTimestamp }))
}

/** The logs of a filter, one request after the other. */
async function fetchParts(
  pool: EndpointPool,
  filter: LogFilter,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
): Promise<readonly LogPart[]> {
  const parts: LogPart[] = []
  let fromBlock = filter.fromBlock
  while (fromBlock <= filter.toBlock) {
    const rest = { ...filter, fromBlock }
    const part = await pool.persist(
      (endpoint, attemptSignal) => fetchPart(endpoint, rest, options, attemptSignal),
      signal,
    )
    if (part === null) continue
    parts.push(part)
    fromBlock = part.toBlock + 1
  }
  return parts
}

interface LogPart extends DecodedLogs {
  readonly toBlock: number
}

/** The logs of the first blocks of the filter, as many as the endpoint takes; null when it wants the range narrower. */
async function fetchPart(
  endpoint: Endpoint,
  filter: LogFilter,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
): Promise<LogPart | null> {
  const { clock } = options
  const { logRange, host } = endpoint
  const blockCount = Math.min(logRange.width(), filter.toBlock - filter.fromBlock + 1)
  const part = { ...filter, toBlock: filter.fromBlock + blockCount - 1 }
  const call = getLogsCall(part, blockCount)
  const startedAtMs = clock.nowMs()
  let answer: RpcAnswer
  try {
    answer = await endpoint.exchangeOne(call, signal)
  } catch (error) {
    // Too slow or too large for an answer: next time less, whatever else was wrong.
    if (!signal.aborted && isTooMuch(error) && blockCount > 1) logRange.shrink(blockCount, null, false)
    throw error
  }
  if (answer.kind === 'error') {
    const { refusal, error } = endpoint.explain(call, answer.error, 1)
    if (refusal.kind === 'rangeTooWide') {
      endpoint.noteSuccess()
      if (logRange.shrink(blockCount, refusal.suggestedBlocks, refusal.structural)) {
        options.onEvent({ kind: 'logRangeLimited', host, blocks: logRange.width() })
      }
      return null
    }
    if (isEndpointError(error)) endpoint.noteFailure(error)
    throw blockCount === 1 ? singleBlockError({ refusal, error }, host, filter.fromBlock) : error
  }
  const decoded = decodeLogs(answer.value, part, host)
  endpoint.noteSuccess()
  logRange.succeed(blockCount, decoded.logs.length <= lightLogsMax && clock.nowMs() - startedAtMs <= lightMs)
  return { ...decoded, toBlock: part.toBlock }
}

function getLogsCall(filter: LogFilter, blockCount: number): RpcCall {
  const { addresses, topics } = filter
  return {
    method: 'eth_getLogs',
    params: [
      {
        fromBlock: formatQuantity(filter.fromBlock),
        toBlock: formatQuantity(filter.toBlock),
        ...(addresses.length === 0 ? {} : { address: addresses.length === 1 ? addresses[0] : addresses }),
        ...(topics.length === 0 ? {} : { topics: [topics.length === 1 ? topics[0] : topics] }),
      },
    ],
    blockCount,
  }
}

/** A single block that is too much cannot be asked in smaller pieces; another endpoint may take it. */
function singleBlockError({ refusal, error }: Explained, host: string, blockNumber: number): AttestryError {
  const isPermission = error.facts['rpcCode'] === -32601 || Number(error.facts['httpStatus']) >= 401
  const isTooLarge = refusal.kind === 'tooHeavy' || (refusal.kind === 'refused' && !isPermission)
  if (!isTooLarge) return error
  return new RpcRangeTooLargeError(
    `${host} does not give the logs of block ${blockNumber}, even when it is asked for that block alone.`,
    { cause: error, retryable: true, facts: { ...error.facts, host, blockNumber } },
  )
}

/** The times of blocks of known hash. A block that has another hash now was replaced since its logs were read. */
async function fetchBlockTimes(
  pool: EndpointPool,
  blocks: ReadonlyMap<number, Hash>,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, UnixSeconds>> {
  const numbers = [...blocks.keys()]
  const headers = await fetchBlocks(pool, numbers, blocks, signal)
  return new Map(headers.map((header) => [header.number, header.timestamp]))
}
