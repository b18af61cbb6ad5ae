import { AttestryError } from '../errors/baseError.ts'
import { RpcMissingError, RpcRangeTooLargeError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { FoundLog, LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { LogOptions } from './fetchLogs.ts'
import { fetchPart } from './fetchPart.ts'

/** Requests in a row that an endpoint may fail before another one is asked. */
const failuresMax = 5

/**
 * The first log of a filter that `matches`, of final blocks, whichever endpoint has it: one after the other is asked
 * for the whole range. One that refuses, or says that it lacks the blocks, time and again, has answered; one that fails
 * has not.
 */
export async function findLog(
  pool: EndpointPool,
  filter: LogFilter,
  matches: (log: FetchedLog) => boolean,
  options: FindOptions,
  signal: AbortSignal,
): Promise<FoundLog> {
  const unanswered: string[] = []
  for (const endpoint of pool.trusted()) {
    const found = await findAt(endpoint, filter, matches, options, signal)
    if (found === 'unanswered') unanswered.push(endpoint.host)
    else if (found !== null) return { log: found, unanswered: [] }
  }
  return { log: null, unanswered }
}

type FindOptions = LogOptions & Pick<ResolvedOptions, 'retryDelayMs'>

async function findAt(
  endpoint: Endpoint,
  filter: LogFilter,
  matches: (log: FetchedLog) => boolean,
  options: FindOptions,
  signal: AbortSignal,
): Promise<FetchedLog | null | 'unanswered'> {
  const { clock, retryDelayMs } = options
  let { fromBlock } = filter
  let failures = 0
  let hasFailed = false
  while (fromBlock <= filter.toBlock) {
    // An endpoint that asks to be left alone is.
    if (endpoint.availableAtMs() > clock.nowMs() + retryDelayMs * 2 ** failuresMax) return 'unanswered'
    try {
      const part = await fetchPart(endpoint, { ...filter, fromBlock }, options, signal)
      if (part === null) continue
      const found = part.logs.find(matches)
      if (found !== undefined) return found
      failures = 0
      hasFailed = false
      fromBlock = part.toBlock + 1
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof AttestryError)) throw error
      failures++
      if (!isAnswer(error)) hasFailed = true
      if (failures >= failuresMax) return hasFailed ? 'unanswered' : null
      await clock.sleep(retryDelayMs * 2 ** failures, signal)
    }
  }
  return null
}

function isAnswer(error: AttestryError): boolean {
  return (
    error instanceof RpcRefusedError ||
    error instanceof RpcRangeTooLargeError ||
    error instanceof RpcMissingError
  )
}
