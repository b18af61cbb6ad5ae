import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { Hash } from '../model/hex.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { BlockHeader, LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { isImpossibleAnswer } from './decodeLogs.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { AnswerChecks } from './createAnswerChecks.ts'
import type { LogKeepers } from './createLogKeepers.ts'
import { agreeOnBlock } from './agreeOnBlock.ts'
import { fetchBlocks } from './fetchBlocks.ts'
import { fetchPart, type LogPart } from './fetchPart.ts'

/**
 * Fetches the logs of a filter in old blocks, each with the time of its block. Splits the range into requests that
 * endpoints accept, several of them at a time. If endpoints send the times with the logs, the last block of each answer
 * is compared with its header.
 */
export async function fetchLogs(
  pool: EndpointPool,
  filter: LogFilter,
  guards: OldLogGuards,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly FetchedLog[]> {
  const parts = await fetchLogParts(pool, filter, guards, options, signal)
  const headers = await fetchBlocksOfLogs(pool, parts, options, signal)
  return parts.flatMap((part) => (part.undatedBlocks.size === 0 ? part.logs : dateLogs(part.logs, headers)))
}

export type LogOptions = Pick<
  ResolvedOptions,
  'clock' | 'onEvent' | 'concurrencyPerEndpoint' | 'agreementTimeoutMs'
>

/** The checks of answers for old blocks. */
export interface OldLogGuards {
  readonly keepers: LogKeepers
  readonly checks: AnswerChecks
}

/**
 * The answers that together hold the logs of a filter, ascending. With `guards`, only endpoints that keep old logs are
 * asked, and answers are checked for logs that were left out.
 */
export async function fetchLogParts(
  pool: EndpointPool,
  filter: LogFilter,
  guards: OldLogGuards | null,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly LogPart[]> {
  const stop = new AbortController()
  const inner = AbortSignal.any([signal, stop.signal])
  const parts: LogPart[] = []
  let nextBlock = filter.fromBlock

  /** Takes one piece of the range after the other, in the width of requests at that time. */
  async function work(): Promise<void> {
    while (nextBlock <= filter.toBlock) {
      const fromBlock = nextBlock
      const toBlock = Math.min(
        filter.toBlock,
        fromBlock + pool.preferred(guards?.keepers.mayKeep).logRange.width() - 1,
      )
      nextBlock = toBlock + 1
      for (const part of await fetchParts(pool, { ...filter, fromBlock, toBlock }, guards, options, inner)) {
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
  return parts.sort((a, b) => a.fromBlock - b.fromBlock)
}

/**
 * The logs of a filter, one request after the other. If a result is too large, the pieces shrink, and grow again later.
 * This applies only to these blocks: their density says nothing about other blocks.
 */
async function fetchParts(
  pool: EndpointPool,
  filter: LogFilter,
  guards: OldLogGuards | null,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
): Promise<readonly LogPart[]> {
  const keepers = guards?.keepers
  const parts: LogPart[] = []
  let fromBlock = filter.fromBlock
  let widthMax = Number.POSITIVE_INFINITY
  while (fromBlock <= filter.toBlock) {
    const rest = { ...filter, fromBlock }
    const left = filter.toBlock - fromBlock + 1
    const part = await pool.persist(async (endpoint, attemptSignal) => {
      await keepers?.assertKeeps(endpoint, attemptSignal)
      const doubted = endpoint.logDoubts.at(rest.fromBlock)
      const asked = Math.min(endpoint.logRange.width(), widthMax, left)
      const answered = await distrusting(pool, endpoint, () =>
        fetchPart(endpoint, rest, options, attemptSignal, widthMax),
      )
      const isDoubted = endpoint.logDoubts.at(rest.fromBlock) !== null
      // A doubted width passed as one block: the next request spans half of it, once `widthMax` is doubled below.
      if (doubted !== null) widthMax = Math.floor(doubted / 2) / 2
      else if (answered === null && !isDoubted) widthMax = Math.max(1, Math.floor(asked / 2))
      // A log may have become known meanwhile that this endpoint does not have.
      await keepers?.assertKeeps(endpoint, attemptSignal)
      if (answered === null || guards === null) return answered
      const trusted = await distrusting(pool, endpoint, () =>
        guards.checks.trust(rest, answered, attemptSignal),
      )
      if (trusted === null)
        widthMax = Math.max(1, Math.floor((answered.toBlock - answered.fromBlock + 1) / 2))
      return trusted
    }, signal)
    if (part === null) continue
    keepers?.noteAnswer(part)
    parts.push(part)
    fromBlock = part.toBlock + 1
    widthMax *= 2
  }
  return parts
}

/** Makes a request for logs, and counts an answer that cannot be against its endpoint. */
async function distrusting<Result>(
  pool: EndpointPool,
  endpoint: Endpoint,
  request: () => Promise<Result>,
): Promise<Result> {
  try {
    return await request()
  } catch (error) {
    if (isImpossibleAnswer(error)) pool.noteContradiction(endpoint, error)
    throw error
  }
}

/**
 * The headers, by number, of the blocks whose logs came without a time, and of the last block of an answer whose logs
 * have times. Each must have the hash and time of its logs. Another endpoint than that of the logs is asked first; if
 * it has another block, all endpoints are asked for the true one.
 * @throws InconsistentChainError if the logs stand in another block; this counts against their endpoint.
 */
async function fetchBlocksOfLogs(
  pool: EndpointPool,
  parts: readonly LogPart[],
  options: LogOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, BlockHeader>> {
  const hashes = new Map<number, Hash>()
  const partOfBlock = new Map<number, LogPart>()
  const lastLogs: FetchedLog[] = []
  for (const part of parts) {
    for (const [number, hash] of part.undatedBlocks) hashes.set(number, hash)
    const last = part.logs.at(-1)
    if (last === undefined) continue
    if (!part.undatedBlocks.has(last.blockNumber)) {
      hashes.set(last.blockNumber, last.blockHash)
      lastLogs.push(last)
    }
    for (const number of [...part.undatedBlocks.keys(), last.blockNumber]) partOfBlock.set(number, part)
  }
  if (hashes.size === 0) return new Map()
  const last = [...new Set(parts.map(({ endpoint }) => endpoint))]
  const disputed = new Set<number>()
  const onOther = (blockNumber: number) => void disputed.add(blockNumber)
  let headers: ReadonlyMap<number, BlockHeader>
  try {
    const found = await fetchBlocks(pool, [...hashes.keys()], hashes, signal, { last, onOther })
    headers = new Map(found.map((header) => [header.number, header]))
  } catch (error) {
    if (error instanceof InconsistentChainError) {
      const part = partOfBlock.get(Number(error.facts['blockNumber']))
      if (part !== undefined) pool.noteContradiction(part.endpoint, error)
    }
    throw error
  }
  for (const blockNumber of disputed) {
    const { hash } = await agreeOnBlock(pool, blockNumber, null, options, signal)
    if (hash === hashes.get(blockNumber)) continue
    throw new InconsistentChainError(
      `The logs of block ${blockNumber} are those of a block that is not part of the chain.`,
      { retryable: true, facts: { blockNumber } },
    )
  }
  for (const log of lastLogs) {
    const header = headers.get(log.blockNumber)
    const part = partOfBlock.get(log.blockNumber)
    if (header === undefined || part === undefined || header.timestamp === log.blockTimestamp) continue
    const { host } = part.endpoint
    const error = new InconsistentChainError(
      `The logs of ${host} say another time of block ${log.blockNumber} than its header.`,
      { retryable: true, facts: { host, blockNumber: log.blockNumber } },
    )
    pool.noteContradiction(part.endpoint, error)
    throw error
  }
  return headers
}

function dateLogs(
  logs: readonly FetchedLog[],
  headers: ReadonlyMap<number, BlockHeader>,
): readonly FetchedLog[] {
  return logs.map((log) => ({
    ...log,
    blockTimestamp: headers.get(log.blockNumber)?.timestamp ?? log.blockTimestamp,
  }))
}
