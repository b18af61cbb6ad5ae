import { AttestryError } from '../errors/baseError.ts'
import { RpcMissingError, RpcRangeTooLargeError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { FoundLog, LogFilter, LogSample, LogsOfHost } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { splitFilter } from './createAnswerChecks.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { LogKeepers } from './createLogKeepers.ts'
import type { LogOptions } from './fetchLogs.ts'
import { fetchPart, type LogPart } from './fetchPart.ts'

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
  let found: FetchedLog | undefined
  const visit = ({ logs }: LogPart) => {
    found = logs.find(matches)
    return found === undefined
  }
  const walked = await walkLogs(endpoint, filter, visit, options, signal)
  if (found !== undefined) return found
  return walked === 'unanswered' ? walked : null
}

/**
 * Visits the answers of one endpoint for the logs of a filter, until `visit` returns false. `refused`: the endpoint
 * refuses such requests, or says that it lacks the blocks, time and again. `unanswered`: it fails.
 */
async function walkLogs(
  endpoint: Endpoint,
  filter: LogFilter,
  visit: (part: LogPart) => boolean,
  options: FindOptions,
  signal: AbortSignal,
): Promise<'read' | 'refused' | 'unanswered'> {
  const { clock, retryDelayMs } = options
  let { fromBlock } = filter
  let failures = 0
  let hasFailed = false
  while (fromBlock <= filter.toBlock) {
    // Respects the pause that the endpoint asked for.
    if (endpoint.availableAtMs() > clock.nowMs() + retryDelayMs * 2 ** failuresMax) return 'unanswered'
    try {
      const part = await fetchPart(endpoint, { ...filter, fromBlock }, options, signal)
      if (part === null) continue
      if (!visit(part)) return 'read'
      failures = 0
      hasFailed = false
      fromBlock = part.toBlock + 1
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof AttestryError)) throw error
      failures++
      if (!isAnswer(error)) hasFailed = true
      if (failures >= failuresMax) return hasFailed ? 'unanswered' : 'refused'
      await clock.sleep(retryDelayMs * 2 ** failures, signal)
    }
  }
  return 'read'
}

/** The logs of a range by each endpoint that may keep old logs; in two parts, each with half of them, by a sole one. */
export async function sampleLogs(
  pool: Pick<EndpointPool, 'trusted'>,
  filter: LogFilter,
  { mayKeep }: Pick<LogKeepers, 'mayKeep'>,
  options: FindOptions,
  signal: AbortSignal,
): Promise<LogSample> {
  let requests = 0
  async function readAt(endpoint: Endpoint, range: LogFilter): Promise<readonly FetchedLog[] | null> {
    const logs: FetchedLog[] = []
    const visit = (part: LogPart) => {
      requests++
      for (const log of part.logs) logs.push(log)
      return true
    }
    return (await walkLogs(endpoint, range, visit, options, signal)) === 'read' ? logs : null
  }
  const keepers = pool.trusted().filter(mayKeep)
  // An endpoint that fails at present gives no sample: each range would wait for it.
  const answering = keepers.filter(
    (endpoint) => endpoint.failures() === 0 && endpoint.wrongChainId() === null,
  )
  const [sole, ...others] = answering.length > 0 ? answering : keepers
  if (sole === undefined) return { answers: [], requests }
  const read = await readAt(sole, filter)
  const answers: LogsOfHost[] = read === null ? [] : [{ host: sole.host, logs: read }]
  if (others.length === 0 && read !== null && filter.fromBlock < filter.toBlock) {
    const [first, second] = splitFilter(filter, { logs: read })
    const halves = [await readAt(sole, first), await readAt(sole, second)]
    const logs = halves.every((half) => half !== null) ? halves.flat() : null
    if (logs !== null) answers.push({ host: sole.host, logs })
  }
  for (const endpoint of others) {
    const logs = await readAt(endpoint, filter)
    if (logs !== null) answers.push({ host: endpoint.host, logs })
  }
  return { answers, requests }
}

function isAnswer(error: AttestryError): boolean {
  return (
    error instanceof RpcRefusedError ||
    error instanceof RpcRangeTooLargeError ||
    error instanceof RpcMissingError
  )
}
