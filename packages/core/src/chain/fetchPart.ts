import type { AttestryError } from '../errors/baseError.ts'
import {
  RpcMissingError,
  RpcRangeTooLargeError,
  RpcRateLimitedError,
  RpcRefusedError,
} from '../errors/rpcErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { isTooLarge, type Endpoint } from './createEndpoint.ts'
import { isEndpointError, isTimeout, mayConcernSize } from './errorScope.ts'
import { decodeLogs, type DecodedLogs } from './decodeLogs.ts'
import { getBlockCall, readBlock } from './fetchBlocks.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { isNullRound } from './nullRounds.ts'
import { formatQuantity } from './parseQuantity.ts'
import type { Explained } from './readExchange.ts'

/** The answer to one request. */
export interface LogPart extends DecodedLogs {
  readonly fromBlock: number
  readonly toBlock: number
  readonly endpoint: Endpoint
}

/**
 * The size of an answer, in bytes, that ranges aim at. Memory holds each answer several times (as bytes, text, JSON and
 * logs), for every request in flight.
 */
export const answerBytesAim = 4 * 1024 * 1024
/**
 * Answers for several blocks are cancelled beyond this size, in bytes. One block cannot be split: the options limit it.
 */
export const rangeBytesMax = 4 * answerBytesAim
/** After an answer that took longer, the range does not grow. */
const lightMs = 3_000

/**
 * The logs of the first blocks of the filter, as many as the endpoint accepts, at most `widthMax`; null if the next
 * request should span fewer blocks. The answer to a range that `widthMax` cut changes no other range.
 */
export async function fetchPart(
  endpoint: Endpoint,
  filter: LogFilter,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
  widthMax = Number.POSITIVE_INFINITY,
): Promise<LogPart | null> {
  const { clock } = options
  const { logRange, logDoubts, host } = endpoint
  const { fromBlock } = filter
  const askedWidth = logRange.width()
  const isNarrowed = widthMax <= askedWidth
  const isDoubted = logDoubts.at(fromBlock) !== null
  const blockCount = isDoubted ? 1 : Math.min(askedWidth, widthMax, filter.toBlock - fromBlock + 1)
  const part = { ...filter, toBlock: filter.fromBlock + blockCount - 1 }
  await assertHasBlock(endpoint, part.toBlock, signal)
  const call = getLogsCall(part, blockCount)
  let sentAtMs = clock.nowMs()
  const onSent = () => {
    sentAtMs = clock.nowMs()
  }

  /** Whether the next request should span one block, which shows whether the width was refused. */
  function doubt(error: unknown): boolean {
    if (signal.aborted || blockCount === 1 || !mayConcernSize(error)) return false
    const isRate = error instanceof RpcRateLimitedError
    const kind = error instanceof RpcRefusedError ? 'final' : isRate ? 'rate' : 'other'
    logDoubts.add(fromBlock, blockCount, kind)
    // An endpoint that refuses such calls for good would not be asked again.
    return error instanceof RpcRefusedError
  }

  let answer: RpcAnswer
  try {
    answer = await endpoint.exchangeOne(call, signal, blockCount > 1 ? rangeBytesMax : undefined, onSent)
  } catch (error) {
    if (!signal.aborted && isTooLarge(error) && blockCount > 1) {
      if (!isNarrowed) logRange.shrink(blockCount, null, false)
      return null
    }
    if (!signal.aborted && isTimeout(error) && blockCount > 1) logRange.shrink(blockCount, null, false)
    if (doubt(error)) return null
    throw error
  }
  // A null round has no logs.
  if (answer.kind === 'error' && blockCount === 1 && isNullRound(answer.error)) {
    answer = { kind: 'result', value: [] }
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
    if (isEndpointError(error)) endpoint.noteFailure(error)
    if (doubt(error)) return null
    throw blockCount === 1 ? singleBlockError({ refusal, error }, host, filter.fromBlock) : error
  }
  const decoded = decodeLogs(answer.value, part, host)
  endpoint.noteSuccess()
  const bytes = weighLogs(decoded.logs)
  const isLight = bytes <= answerBytesAim / 2 && clock.nowMs() - sentAtMs <= lightMs
  logRange.succeed(blockCount, askedWidth, isLight)
  const refusedWidth = logDoubts.settle(fromBlock, blockCount)
  if (refusedWidth !== null) logRange.shrink(refusedWidth, null, false)
  if (bytes > 2 * answerBytesAim && widthMax >= askedWidth) {
    logRange.shrink(blockCount, Math.max(1, Math.floor((blockCount * answerBytesAim) / bytes)), false)
  }
  return { ...decoded, fromBlock: part.fromBlock, toBlock: part.toBlock, endpoint }
}

/** An estimate of the size of logs as JSON, in bytes: fixed fields, topics and data. */
export function weighLogs(logs: readonly FetchedLog[]): number {
  return logs.reduce((sum, { topics, data }) => sum + 450 + 70 * topics.length + data.length, 0)
}

/** A request for the logs of a filter, which spans `blockCount` blocks. */
export function getLogsCall(filter: LogFilter, blockCount: number): RpcCall {
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

/** A single block cannot be split; another endpoint may answer for it. */
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
 * A node whose head lies below the range would answer `[]`. The endpoint is asked for its newest block, unless it has
 * named a block at or above the end of the range before.
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
