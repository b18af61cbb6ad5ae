import type { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMissingError, RpcRangeTooLargeError } from '../errors/rpcErrors.ts'
import type { Hash } from '../model/hex.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { BlockHeader, LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { isTooLarge, type Endpoint } from './createEndpoint.ts'
import { isEndpointError, isTooMuch, type EndpointPool } from './createEndpointPool.ts'
import { noBackendPattern } from './classifyRefusal.ts'
import type { LogKeepers } from './createLogKeepers.ts'
import { decodeLogs, type DecodedLogs } from './decodeLogs.ts'
import { agreeOnBlock } from './agreeOnBlock.ts'
import { fetchBlocks, getBlockCall, readBlock } from './fetchBlocks.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { formatQuantity } from './parseQuantity.ts'
import type { Explained } from './readExchange.ts'

/**
 * Bytes that the answer to a request for logs should hold. Few megabytes cost no more requests than many, and each is held
 * several times over: as bytes, as text, parsed and decoded, for every request under way.
 */
const answerBytesAim = 4 * 1024 * 1024
/** An answer of several blocks is given up beyond this size; one block has no smaller piece, and may have what the options allow. */
const rangeBytesMax = 4 * answerBytesAim
/** An answer that took longer is reason not to ask for a wider range. */
const lightMs = 3_000

/**
 * Fetches the logs of a filter of old blocks in as many requests as endpoints want, some of them at a time, each log with its block's time.
 * Where endpoints send the time with the logs, the last block of each answer is held against its header.
 */
export async function fetchLogs(
  pool: EndpointPool,
  filter: LogFilter,
  keepers: LogKeepers,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const parts = await fetchLogParts(pool, filter, keepers, options, signal)
  const headers = await fetchBlocksOfLogs(pool, parts, options, signal)
  return parts.flatMap((part) => (part.undatedBlocks.size === 0 ? part.logs : dateLogs(part.logs, headers)))
}

export type LogOptions = Pick<
  ResolvedOptions,
  'clock' | 'onEvent' | 'concurrencyPerEndpoint' | 'agreementTimeoutMs'
>

/** What one request answered. */
export interface LogPart extends DecodedLogs {
  readonly fromBlock: number
  readonly toBlock: number
  readonly endpoint: Endpoint
}

/** The answers that make up the logs of a filter, ascending; of endpoints that keep old logs, where there are `keepers`. */
export async function fetchLogParts(
  pool: EndpointPool,
  filter: LogFilter,
  keepers: LogKeepers | null,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly LogPart[]> {
  const stop = new AbortController()
  const inner = AbortSignal.any([signal, stop.signal])
  const parts: LogPart[] = []
  let nextBlock = filter.fromBlock

  /** Takes piece after piece, each as wide as requests are at that time. */
  async function work(): Promise<void> {
    while (nextBlock <= filter.toBlock) {
      const fromBlock = nextBlock
      const toBlock = Math.min(
        filter.toBlock,
        fromBlock + pool.preferred(keepers?.mayKeep).logRange.width() - 1,
      )
      nextBlock = toBlock + 1
      for (const part of await fetchParts(pool, { ...filter, fromBlock, toBlock }, keepers, options, inner)) {
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
 * The logs of a filter, one request after the other. Where a result is too much, only these blocks are asked for in ever smaller
 * pieces, and in larger ones again: what the requests beside these may span is no measure for them, and the other way round.
 */
async function fetchParts(
  pool: EndpointPool,
  filter: LogFilter,
  keepers: LogKeepers | null,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
): Promise<readonly LogPart[]> {
  const parts: LogPart[] = []
  let fromBlock = filter.fromBlock
  let widthMax = Number.POSITIVE_INFINITY
  while (fromBlock <= filter.toBlock) {
    const rest = { ...filter, fromBlock }
    const left = filter.toBlock - fromBlock + 1
    const part = await pool.persist(async (endpoint, attemptSignal) => {
      await keepers?.assertKeeps(endpoint, attemptSignal)
      const asked = Math.min(endpoint.logRange.width(), widthMax, left)
      const answered = await fetchPart(endpoint, rest, options, attemptSignal, widthMax)
      if (answered === null) widthMax = Math.max(1, Math.floor(asked / 2))
      return answered
    }, signal)
    if (part === null) continue
    keepers?.noteAnswer(part)
    parts.push(part)
    fromBlock = part.toBlock + 1
    widthMax *= 2
  }
  return parts
}

/**
 * The logs of the first blocks of the filter, as many as the endpoint takes and at most `widthMax`; null when it wants the range
 * narrower. Of a range that was narrow by `widthMax` alone nothing is learnt about others.
 */
export async function fetchPart(
  endpoint: Endpoint,
  filter: LogFilter,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
  widthMax = Number.POSITIVE_INFINITY,
): Promise<LogPart | null> {
  const { clock } = options
  const { logRange, host } = endpoint
  const askedWidth = logRange.width()
  const isNarrowed = widthMax <= askedWidth
  const blockCount = Math.min(askedWidth, widthMax, filter.toBlock - filter.fromBlock + 1)
  const part = { ...filter, toBlock: filter.fromBlock + blockCount - 1 }
  await assertHasBlock(endpoint, part.toBlock, signal)
  const call = getLogsCall(part, blockCount)
  const startedAtMs = clock.nowMs()
  let answer: RpcAnswer
  try {
    answer = await endpoint.exchangeOne(call, signal, blockCount > 1 ? rangeBytesMax : undefined)
  } catch (error) {
    if (!signal.aborted && isTooLarge(error) && blockCount > 1) {
      if (!isNarrowed) logRange.shrink(blockCount, null, false)
      return null
    }
    // Too slow or too large for an answer: next time less, whatever else was wrong.
    if (!signal.aborted && isTooMuch(error) && blockCount > 1) logRange.shrink(blockCount, null, false)
    throw error
  }
  if (answer.kind === 'error') {
    const { refusal, error } = endpoint.explain(call, answer.error, 1)
    if (refusal.kind === 'rangeTooWide') {
      endpoint.noteSuccess()
      if (isNarrowed && !refusal.structural) return null
      if (logRange.shrink(blockCount, refusal.suggestedBlocks, refusal.structural)) {
        options.onEvent({ kind: 'logRangeLimited', host, blocks: logRange.width() })
      }
      return null
    }
    // It may have been the range that was too much for all of them: when they are asked again, they are asked for less.
    if (noBackendPattern.test(answer.error.message) && blockCount > 1)
      logRange.shrink(blockCount, null, false)
    if (isEndpointError(error)) endpoint.noteFailure(error)
    throw blockCount === 1 ? singleBlockError({ refusal, error }, host, filter.fromBlock) : error
  }
  const decoded = decodeLogs(answer.value, part, host)
  endpoint.noteSuccess()
  const bytes = weighLogs(decoded.logs)
  const isLight = bytes <= answerBytesAim / 2 && clock.nowMs() - startedAtMs <= lightMs
  logRange.succeed(blockCount, askedWidth, isLight)
  if (bytes > 2 * answerBytesAim && widthMax >= askedWidth) {
    logRange.shrink(blockCount, Math.max(1, Math.floor((blockCount * answerBytesAim) / bytes)), false)
  }
  return { ...decoded, fromBlock: part.fromBlock, toBlock: part.toBlock, endpoint }
}

/** About how many bytes logs take as JSON: some hundred for their fixed fields, and those of topics and data. */
function weighLogs(logs: readonly ChainLog[]): number {
  return logs.reduce((sum, { topics, data }) => sum + 450 + 70 * topics.length + data.length, 0)
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

/**
 * A node whose head lies below the range, since it lags or has stopped, would answer that there are no logs. What it once told
 * of it has; otherwise it is asked for its newest block.
 */
async function assertHasBlock(endpoint: Endpoint, blockNumber: number, signal: AbortSignal): Promise<void> {
  if (endpoint.isKnownToHave(blockNumber)) return
  const head = readBlock(await endpoint.exchangeOne(getBlockCall('latest'), signal), 'latest', endpoint)
  if (head.number >= blockNumber) return
  const { host } = endpoint
  throw new RpcMissingError(`${host} does not have block ${blockNumber}; its newest one is ${head.number}.`, {
    retryable: true,
    facts: { host, blockNumber },
  })
}

/**
 * The headers of the blocks whose time did not come with their logs and, of an answer whose logs have times, of the last block:
 * by number, of the hash and time that the logs say. Another endpoint than that of the logs is asked first; where it has
 * another block, all endpoints are asked whose block is true.
 * @throws InconsistentChainError when the logs stand in another block, which then counts against their endpoint.
 */
async function fetchBlocksOfLogs(
  pool: EndpointPool,
  parts: readonly LogPart[],
  options: LogOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, BlockHeader>> {
  const hashes = new Map<number, Hash>()
  const partOfBlock = new Map<number, LogPart>()
  const lastLogs: ChainLog[] = []
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

function dateLogs(logs: readonly ChainLog[], headers: ReadonlyMap<number, BlockHeader>): readonly ChainLog[] {
  return logs.map((log) => ({
    ...log,
    blockTimestamp: headers.get(log.blockNumber)?.timestamp ?? log.blockTimestamp,
  }))
}
