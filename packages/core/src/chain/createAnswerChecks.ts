import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { LogDoubt, LogFilter } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { DecodedLogs, LogPlace } from './decodeLogs.ts'
import type { Endpoint } from './createEndpoint.ts'
import { isSameLog, type LogKeepers } from './createLogKeepers.ts'
import { fetchPart, type LogPart } from './fetchPart.ts'

/**
 * Finds out which endpoints leave logs out of their answers with status 200, beyond a number that no document names or
 * by any other rule. The answers with the most logs are read again in two parts. An endpoint whose parts have other
 * logs is passed over for one that left out nothing; without such an endpoint, it is asked for smaller parts.
 */
export interface AnswerChecks {
  /**
   * The answer to a request for old logs, with the logs that were left out of it; null if the next request should span
   * fewer blocks.
   * @throws InconsistentChainError, retryable, if the endpoint left out logs and another one may be asked.
   */
  trust(filter: LogFilter, part: LogPart, signal: AbortSignal): Promise<LogPart | null>
  /**
   * Whether an answer for new blocks may have been cut, so that a block has only some of its logs. True if it has as many
   * logs as the endpoint gives at most, or as the largest such answer had.
   */
  mayBeCut(part: LogPart): boolean
  /** From now on, reads each answer of an endpoint in parts, down to parts that agree. */
  suspect(endpoint: Endpoint): void
  /** Returns what was found since the last call. */
  takeDoubts(): LogDoubt
}

/** The findings about the answers of one endpoint. */
interface Answers {
  /** The answers for several blocks so far, and the most logs that one of them had. */
  count: number
  highest: number
  /** The most logs of an answer that was read again. */
  most: number
  /** How many answers with as many logs were read again, and the widest range of these. */
  checks: number
  widest: number
  /** The answers that were read again because they had as many logs as another one. */
  repeats: number
  /** The most logs of an answer for new blocks, and how many answers had as many. */
  mostNew: number
  timesNew: number
  /** Answers with so many logs are incomplete. */
  limit: number
  /** Whether smaller answers were incomplete, too. */
  isSuspect: boolean
  /** The first block of those answers that had the most logs and were not read again, by their number of logs. */
  readonly unchecked: Map<number, number>
}

/** Of the answers that have as many logs as another one, some are read again in any case, and a share of all answers. */
const repeatsMin = 2
const repeatShare = 0.001

export function createAnswerChecks(
  keepers: Pick<LogKeepers, 'distrust'>,
  options: Pick<ResolvedOptions, 'clock' | 'onEvent' | 'answerChecks'>,
): AnswerChecks {
  const answersOf = new Map<Endpoint, Answers>()
  const unsettled = new Set<number>()
  let doubtedBlock: number | null = null

  function ofEndpoint(endpoint: Endpoint): Answers {
    const known = answersOf.get(endpoint)
    if (known !== undefined) return known
    const answers: Answers = {
      count: 0,
      highest: 0,
      most: 0,
      checks: 0,
      widest: 0,
      repeats: 0,
      mostNew: 0,
      timesNew: 0,
      limit: Number.POSITIVE_INFINITY,
      isSuspect: false,
      unchecked: new Map(),
    }
    answersOf.set(endpoint, answers)
    return answers
  }

  async function read(endpoint: Endpoint, filter: LogFilter, signal: AbortSignal): Promise<LogPart> {
    const parts: LogPart[] = []
    for (let { fromBlock } = filter; fromBlock <= filter.toBlock;) {
      const part = await fetchPart(endpoint, { ...filter, fromBlock }, options, signal)
      // The endpoint demands a narrower range.
      if (part === null) continue
      parts.push(part)
      fromBlock = part.toBlock + 1
    }
    return joinParts(endpoint, filter, parts)
  }

  /** Reads an answer again in two parts. */
  async function readHalves(filter: LogFilter, part: LogPart, signal: AbortSignal) {
    const [first, second] = splitFilter({ ...filter, fromBlock: part.fromBlock, toBlock: part.toBlock }, part)
    const halves = [
      { filter: first, part: await read(part.endpoint, first, signal) },
      { filter: second, part: await read(part.endpoint, second, signal) },
    ] as const
    const joined = joinParts(
      part.endpoint,
      part,
      halves.map((half) => half.part),
    )
    return { halves, joined }
  }

  /** Reads an answer in ever smaller parts until they agree. */
  async function readDeep(filter: LogFilter, part: LogPart, signal: AbortSignal): Promise<LogPart> {
    if (part.fromBlock === part.toBlock) return readBlock(filter, part, signal)
    const { halves, joined } = await readHalves(filter, part, signal)
    if (areSameLogs(part.logs, joined.logs)) return joined
    const parts: LogPart[] = []
    for (const half of halves) parts.push(await readDeep(half.filter, half.part, signal))
    return joinParts(part.endpoint, part, parts)
  }

  /** Reads the logs of one block by contracts and topics, if the answer for the block may be incomplete. */
  async function readBlock(filter: LogFilter, part: LogPart, signal: AbortSignal): Promise<LogPart> {
    const { limit } = ofEndpoint(part.endpoint)
    if (part.logs.length < limit) return part
    const block = { ...filter, fromBlock: part.fromBlock, toBlock: part.toBlock }
    const parts: LogPart[] = [part]
    for (const address of filter.addresses) {
      for (const topic of filter.topics) {
        const kind = { ...block, addresses: [address], topics: [topic] }
        const some = await fetchPart(part.endpoint, kind, options, signal)
        if (some === null) continue
        parts.push(some)
        if (some.logs.length >= limit) unsettled.add(part.fromBlock)
      }
    }
    return joinKinds(part, parts)
  }

  /**
   * Why an answer is read again; null if it is not. An endpoint that cuts its answers gives the same number of logs again
   * and again, and never more (`repeat`). The `first` of a size are those with twice the logs of answers that were read
   * again, and those with a round number.
   */
  function dueAs(answers: Answers, logs: number, width: number): 'first' | 'repeat' | null {
    const { count, highest, most, checks, widest, repeats } = answers
    if (options.answerChecks === 0 || logs < highest) return null
    if (logs >= 2 * most || (logs > most && isRound(logs))) return 'first'
    if (logs > highest || repeats >= repeatsMin + count * repeatShare) return null
    return logs > most || checks < options.answerChecks || width > widest ? 'repeat' : null
  }

  return {
    async trust(filter, part, signal) {
      const { endpoint, fromBlock, toBlock } = part
      const answers = ofEndpoint(endpoint)
      const logs = part.logs.length
      const width = toBlock - fromBlock + 1
      if (fromBlock === toBlock) return readBlock(filter, part, signal)
      if (answers.isSuspect) return readDeep(filter, part, signal)
      if (logs >= answers.limit) {
        endpoint.logRange.shrink(width, null, false)
        return null
      }
      answers.count++
      if (logs === 0 || logs < answers.most) return part
      const due = dueAs(answers, logs, width)
      answers.highest = Math.max(answers.highest, logs)
      if (due === null) {
        answers.unchecked.set(logs, Math.min(fromBlock, answers.unchecked.get(logs) ?? fromBlock))
        return part
      }
      if (logs > answers.most) Object.assign(answers, { most: logs, checks: 0, widest: 0 })
      answers.checks++
      if (due === 'repeat') answers.repeats++
      answers.widest = Math.max(answers.widest, width)
      const { joined } = await readHalves(filter, part, signal)
      if (areSameLogs(part.logs, joined.logs)) return part
      // A smaller answer shows that answers of any size may be incomplete.
      if (answers.limit !== Number.POSITIVE_INFINITY && logs < answers.limit) answers.isSuspect = true
      answers.limit = Math.min(answers.limit, logs)
      answers.most = 0
      answers.highest = 0
      for (const [count, block] of answers.unchecked) {
        if (count >= answers.limit) doubtedBlock = Math.min(block, doubtedBlock ?? block)
      }
      answers.unchecked.clear()
      const blockNumber = firstDifference(part.logs, joined.logs)
      if (!keepers.distrust(endpoint, blockNumber))
        return answers.isSuspect ? readDeep(filter, part, signal) : null
      const { host } = endpoint
      throw new InconsistentChainError(
        `${host} left logs out of its answer for the blocks ${fromBlock} to ${toBlock}.`,
        { retryable: true, facts: { host, fromBlock, toBlock, blockNumber } },
      )
    },
    mayBeCut({ endpoint, fromBlock, toBlock, logs: { length: logs } }) {
      const answers = ofEndpoint(endpoint)
      if (logs === 0 || (fromBlock === toBlock && logs < answers.limit)) return false
      if (logs > answers.mostNew) answers.timesNew = 0
      if (logs >= answers.mostNew) answers.timesNew++
      answers.mostNew = Math.max(answers.mostNew, logs)
      const isMost = logs === answers.mostNew && answers.timesNew <= options.answerChecks
      return answers.isSuspect || logs >= answers.limit || isMost
    },
    suspect(endpoint) {
      ofEndpoint(endpoint).isSuspect = true
    },
    takeDoubts() {
      const doubt = { fromBlock: doubtedBlock, unsettled: [...unsettled].sort((a, b) => a - b) }
      doubtedBlock = null
      unsettled.clear()
      return doubt
    },
  }
}

/** Whether a number of logs looks like a limit: 100, 1,000, 2,000, 10,000 and others with one digit before the zeros. */
function isRound(logs: number): boolean {
  return /^[1-9]00+$/.test(String(logs))
}

/**
 * The two parts of a filter in which an answer is read again: each has half of its logs. Of an endpoint that gives only
 * the first or the last logs, the part at that end then has logs that the answer lacks.
 */
export function splitFilter(
  filter: LogFilter,
  { logs }: Pick<DecodedLogs, 'logs'>,
): readonly [LogFilter, LogFilter] {
  const { fromBlock, toBlock } = filter
  const median = logs[Math.floor((logs.length - 1) / 2)]?.blockNumber ?? Math.floor((fromBlock + toBlock) / 2)
  const middle = Math.min(toBlock - 1, median)
  return [
    { ...filter, toBlock: middle },
    { ...filter, fromBlock: middle + 1 },
  ]
}

function joinParts(
  endpoint: Endpoint,
  { fromBlock, toBlock }: Pick<LogPart, 'fromBlock' | 'toBlock'>,
  parts: readonly LogPart[],
): LogPart {
  return {
    endpoint,
    fromBlock,
    toBlock,
    logs: parts.flatMap((part) => part.logs),
    undatedBlocks: new Map(parts.flatMap((part) => [...part.undatedBlocks])),
  }
}

/** Joins answers for one block that may hold the same logs, by the places of the logs. */
function joinKinds(whole: LogPart, parts: readonly LogPart[]): LogPart {
  const placed = new Map<string, { readonly log: FetchedLog; readonly place: LogPlace }>()
  for (const { logs, places } of parts) {
    for (const [index, log] of logs.entries()) {
      const place = places?.[index]
      if (place !== undefined) placed.set(`${place.transactionIndex} ${place.order}`, { log, place })
    }
  }
  const ordered = [...placed.values()].sort(
    (a, b) => a.place.transactionIndex - b.place.transactionIndex || a.place.order - b.place.order,
  )
  return {
    ...whole,
    logs: ordered.map(({ log }) => log),
    undatedBlocks: new Map(parts.flatMap((part) => [...part.undatedBlocks])),
  }
}

function areSameLogs(some: readonly FetchedLog[], others: readonly FetchedLog[]): boolean {
  return some.length === others.length && some.every((log, index) => isSameLog(log, others[index]))
}

/** The first block in which two lists of logs differ. */
function firstDifference(some: readonly FetchedLog[], others: readonly FetchedLog[]): number {
  const at = some.findIndex((log, index) => !isSameLog(log, others[index]))
  const index = at === -1 ? some.length : at
  const blocks = [some[index], others[index]].flatMap((log) => (log === undefined ? [] : [log.blockNumber]))
  return Math.min(...blocks)
}
