import type { LogsOfHost } from '../chain/chainClient.ts'
import { noBytes } from '../model/hex.ts'
import type { Position } from '../model/position.ts'
import type { ChainLog, FetchedLog } from '../protocols/protocolAdapter.ts'
import { deploymentOf, isIndexed, planRead, type EventSource, type IndexedDeployment } from './fetchEvents.ts'
import type { BlockRange } from './fetchRange.ts'
import { placeLogs } from './placeLogs.ts'

/** The logs of a range by several answers, taken together. */
export interface JudgedSample {
  /** The true logs of the source: of each block those of the answer with the most. */
  readonly logs: readonly FetchedLog[]
  /** The endpoints that left out logs, each with the first block of these. */
  readonly omissions: readonly { readonly host: string; readonly log: FetchedLog }[]
}

/**
 * Judges several answers for the same blocks. A log that one endpoint gives exists, and a log that another endpoint does
 * not give is only missing there: of each block, the answer with the most logs is true.
 */
export function judgeSample(source: EventSource, answers: readonly LogsOfHost[]): JudgedSample {
  const told = answers.map(({ host, logs }) => ({
    host,
    logsOf: Map.groupBy(
      logs.filter((log) => isIndexed(source, log)),
      ({ blockNumber }) => blockNumber,
    ),
  }))
  const blocks = [...new Set(told.flatMap(({ logsOf }) => [...logsOf.keys()]))].sort((a, b) => a - b)
  const logs: FetchedLog[] = []
  const omissions = new Map<string, FetchedLog>()
  for (const block of blocks) {
    const versions = told.map(({ logsOf }) => logsOf.get(block) ?? [])
    const most = versions.reduce((best, each) => (each.length > best.length ? each : best), [])
    for (const log of most) logs.push(log)
    for (const [index, { host }] of told.entries()) {
      const [first] = most
      const isShort = (versions[index]?.length ?? 0) < most.length
      if (isShort && first !== undefined && !omissions.has(host)) omissions.set(host, first)
    }
  }
  return { logs, omissions: [...omissions].map(([host, log]) => ({ host, log })) }
}

/**
 * The first block whose logs are not all in the index, which has events at the positions `held`; null if every log is in
 * the index. Positions count the logs of a block, so a block with an event at its last log is complete.
 */
export function firstLacking(
  source: EventSource,
  logs: readonly FetchedLog[],
  held: readonly Position[],
): number | null {
  const known = new Set(held)
  const placed = Map.groupBy(placeLogs(logs), ({ blockNumber }) => blockNumber)
  for (const [block, own] of placed) {
    const last = own.at(-1)
    const isLacking = own.some((log) => !known.has(log.position) && hasEvents(source, log))
    if (isLacking && last !== undefined && !known.has(last.position)) return block
  }
  return null
}

/** Whether the index has an event of a log. No result of a read changes that. */
function hasEvents(source: EventSource, log: ChainLog): boolean {
  const { deployment, adapter } = deploymentOf(source, log)
  const result = planRead(source, log) === null ? null : ({ kind: 'reverted', data: noBytes } as const)
  const context = { headTimestamp: log.blockTimestamp, transactionSender: null, transactionLogs: [] }
  const outcome = adapter.decodeLog(deployment, log, result, context)
  return outcome.kind !== 'events' || outcome.events.length > 0
}

/** The number of logs of each deployment. */
export function countLogsOf(
  source: EventSource,
  logs: readonly FetchedLog[],
): ReadonlyMap<IndexedDeployment, number> {
  const counts = new Map<IndexedDeployment, number>()
  for (const log of logs) {
    const indexed = deploymentOf(source, log)
    counts.set(indexed, (counts.get(indexed) ?? 0) + 1)
  }
  return counts
}

/** The densest and the longest empty ranges of what the index holds of a chain. */
export interface HistoryShape {
  /** Takes the blocks of the events of the next range, ascending; a block once for each of its events. */
  note(range: BlockRange, eventBlocks: readonly number[], width: number): void
  dense(): readonly BlockRange[]
  empty(): readonly BlockRange[]
}

/** Ranges of each kind that are remembered. */
const keptRanges = 4

export function createHistoryShape(): HistoryShape {
  let dense: readonly { readonly range: BlockRange; readonly events: number }[] = []
  let empty: readonly BlockRange[] = []
  let lastEvent: number | null = null

  function noteGap(fromBlock: number, toBlock: number): void {
    if (toBlock < fromBlock) return
    const others = empty.filter((each) => each.fromBlock !== fromBlock)
    empty = [...others, { fromBlock, toBlock }].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, keptRanges)
  }

  return {
    note({ fromBlock, toBlock }, eventBlocks, width) {
      let first = 0
      let best = { fromBlock, events: 0 }
      for (const [index, block] of eventBlocks.entries()) {
        while ((eventBlocks[first] ?? block) <= block - width) first++
        const events = index - first + 1
        if (events > best.events) best = { fromBlock: eventBlocks[first] ?? block, events }
        noteGap((lastEvent ?? fromBlock - 1) + 1, block - 1)
        lastEvent = block
      }
      if (best.events > 0) {
        const range = { fromBlock: best.fromBlock, toBlock: Math.min(toBlock, best.fromBlock + width - 1) }
        dense = [...dense, { range, events: best.events }]
          .sort((a, b) => b.events - a.events)
          .slice(0, keptRanges)
      }
      noteGap((lastEvent ?? fromBlock - 1) + 1, toBlock)
      lastEvent ??= fromBlock - 1
    },
    dense: () => dense.map(({ range }) => range),
    empty: () => empty,
  }
}

function lengthOf({ fromBlock, toBlock }: BlockRange): number {
  return toBlock - fromBlock + 1
}
