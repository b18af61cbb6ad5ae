import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { isTooLarge, type Endpoint } from '@attestry/core/chain/createEndpoint.ts'
import type { BlockHeader, LogFilter } from '@attestry/core/chain/chainClient.ts'
import { decodeLogs } from '@attestry/core/chain/decodeLogs.ts'
import { answerBytesAim, getLogsCall, rangeBytesMax, weighLogs } from '@attestry/core/chain/fetchPart.ts'
import { formatQuantity } from '@attestry/core/chain/parseQuantity.ts'
import { AttestryError } from '@attestry/core/errors/baseError.ts'
import type { FetchedLog } from '@attestry/core/protocols/protocolAdapter.ts'

/** The logs that one request brought. */
export interface LogSample extends LogNeeds {
  readonly blocks: number
  readonly logs: number
  /** Blocks with logs. */
  readonly loggedBlocks: number
  /** An estimate of the size of the answer. */
  readonly bytes: number
  /** Blocks whose time the answer does not tell. */
  readonly undatedBlocks: number
  /** Milliseconds until the answer was there. */
  readonly tookMs: number
}

/** Further calls that logs need. */
interface LogNeeds {
  /** Contract reads that complete the logs. */
  readonly reads: number
  /** Transactions whose sender is asked for. */
  readonly senders: number
}

/** The logs to ask for, and the further calls that they need. */
export interface ProbedLogs extends LogFilter {
  readonly needsOf: (logs: readonly FetchedLog[]) => LogNeeds
}

/** The outcome of a request for logs. `suggestedBlocks`: the width that the refusal suggests. */
type Asked =
  | { readonly kind: 'sample'; readonly sample: LogSample }
  | { readonly kind: 'tooWide'; readonly suggestedBlocks: number | null; readonly error: AttestryError }
  | { readonly kind: 'failed'; readonly error: AttestryError }

/** The widths that are tried, in blocks. */
const widths = [1, 10, 100, 1_000, 10_000, 100_000, 500_000]
const firstWidth = 10_000
const triesMax = 8

/** Asks for the logs of a filter once. */
export async function askForLogs(
  endpoint: Endpoint,
  filter: ProbedLogs,
  signal: AbortSignal,
): Promise<Asked> {
  const blocks = filter.toBlock - filter.fromBlock + 1
  const call = getLogsCall(filter, blocks)
  const startedMs = performance.now()
  try {
    const answer = await endpoint.exchangeOne(call, signal, rangeBytesMax)
    if (answer.kind === 'error') {
      const { refusal, error } = endpoint.explain(call, answer.error, 1)
      const mayBeWidth = refusal.kind === 'rangeTooWide' || refusal.kind === 'refused'
      if (blocks === 1 || !mayBeWidth) return { kind: 'failed', error }
      const suggestedBlocks = refusal.kind === 'rangeTooWide' ? refusal.suggestedBlocks : null
      return { kind: 'tooWide', suggestedBlocks, error }
    }
    const { logs, undatedBlocks } = decodeLogs(answer.value, filter, endpoint.host)
    const tookMs = performance.now() - startedMs
    const sample = {
      blocks,
      logs: logs.length,
      bytes: weighLogs(logs),
      loggedBlocks: new Set(logs.map(({ blockNumber }) => blockNumber)).size,
      undatedBlocks: undatedBlocks.size,
      tookMs,
      ...filter.needsOf(logs),
    }
    return { kind: 'sample', sample }
  } catch (error) {
    if (!(error instanceof AttestryError)) throw error
    if (isTooLarge(error) && blocks > 1) return { kind: 'tooWide', suggestedBlocks: null, error }
    return { kind: 'failed', error }
  }
}

export interface LogWidth {
  /** The most blocks of a successful request; null if all failed. */
  readonly blocks: number | null
  /** Why no wider one is known. */
  readonly error: AttestryError | null
}

/** Finds how many blocks up to the head one request for logs may span. */
export async function findLogWidth(
  endpoint: Endpoint,
  filter: ProbedLogs,
  signal: AbortSignal,
): Promise<LogWidth> {
  const most = filter.toBlock - filter.fromBlock + 1
  let passed: number | null = null
  let error: AttestryError | null = null
  let next = Math.min(firstWidth, most)
  let refused = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax; tries++) {
    const asked = await askForLogs(endpoint, { ...filter, fromBlock: filter.toBlock - next + 1 }, signal)
    if (asked.kind === 'sample') {
      passed = next
      const wider = Math.min(most, widths.find((width) => width > next) ?? next)
      // A wider answer that holds more than the indexer ever aims at would tell nothing.
      const bytesExpected = (asked.sample.bytes / next) * wider
      if (wider === next || wider >= refused || bytesExpected > answerBytesAim) break
      next = wider
    } else {
      error = asked.error
      if (asked.kind === 'failed' && next === 1) break
      refused = next
      if (passed !== null) break
      const suggested = asked.kind === 'tooWide' ? asked.suggestedBlocks : null
      next = suggested ?? widths.findLast((width) => width < next) ?? 1
    }
  }
  return { blocks: passed, error }
}

/** How long the logs of a new block are waited for. */
const lateLogsPauseMs = 500
const lateLogsTries = 6

/**
 * Milliseconds for which an endpoint had a block with records of any contract, but not its logs. Returns 0 if the logs
 * came at once, Infinity if they did not come, and null if the bloom of the block shows nothing.
 */
export async function measureLogLag(
  endpoint: Endpoint,
  head: BlockHeader,
  signal: AbortSignal,
  pause: (ms: number) => Promise<unknown>,
): Promise<number | null> {
  if (head.logsBloom === null || /^0x(?:0+|f+)$/.test(head.logsBloom)) return null
  const call = {
    method: 'eth_getLogs',
    params: [{ fromBlock: formatQuantity(head.number), toBlock: formatQuantity(head.number) }],
    blockCount: 1,
  }
  const startedMs = performance.now()
  for (let tries = 0; tries < lateLogsTries; tries++) {
    if (tries > 0) await pause(lateLogsPauseMs)
    const answer = await endpoint.exchangeOne(call, signal, rangeBytesMax)
    const logs: readonly unknown[] =
      answer.kind === 'result' && Array.isArray(answer.value) ? answer.value : []
    if (logs.some(isJsonObject)) return tries === 0 ? 0 : Math.round(performance.now() - startedMs)
  }
  return Number.POSITIVE_INFINITY
}
