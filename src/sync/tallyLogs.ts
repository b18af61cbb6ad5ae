import type { ReadBlock } from '../chain/chainClient.ts'
import { RpcRefusedError } from '../errors/rpcErrors.ts'
import type { LocalId } from '../model/compositeId.ts'
import type {
  ChainLog,
  FetchedLog,
  ReadResult,
  RecordCounters,
  RecordKind,
} from '../protocols/protocolAdapter.ts'
import type { EventSource, IndexedDeployment } from './fetchEvents.ts'
import type { RecordGap, TalliedKind } from './recordSeries.ts'

/** A deployment whose contract numbers its records. */
export interface CountedDeployment {
  readonly indexed: IndexedDeployment
  readonly counters: RecordCounters
}

export function countedDeployments(source: EventSource): readonly CountedDeployment[] {
  return [...new Set(source.deploymentsByAddress.values())].flatMap((indexed) => {
    const { counters } = indexed.adapter
    return counters === null ? [] : [{ indexed, counters }]
  })
}

/** Whether a log announces a record that its contract numbers. */
export function isNumbered(source: EventSource, log: ChainLog): boolean {
  const adapter = source.deploymentsByAddress.get(log.address)?.adapter
  if (adapter === undefined || adapter.counters === null) return false
  return adapter.counters.announces(log) !== null && adapter.identifyEvent(log) !== null
}

/** Whether a log announces one of the missing records. */
export function isOfGap({ indexed, what, first, last }: RecordGap, log: FetchedLog): boolean {
  const { adapter, deployment } = indexed
  if (adapter.counters === null || adapter.counters.announces(log) !== what) return false
  const event = adapter.contractsOf(deployment).includes(log.address) ? adapter.identifyEvent(log) : null
  if (event === null) return false
  const number = adapter.counters.numberOf(event.localId)
  return number >= first && number <= last
}

/**
 * Sorts the logs of a range by the series of their records, and reads the creation time of the record after the last
 * one of each series.
 */
export async function tallyLogs(
  source: EventSource,
  logs: readonly ChainLog[],
  signal: AbortSignal,
): Promise<readonly TalliedKind[]> {
  const tallied = countedDeployments(source).flatMap((deployment) =>
    deployment.counters.kinds.map((what) => ({
      ...deployment,
      ...tallySeries(source, deployment, what, logs),
    })),
  )
  const reads = tallied.flatMap(({ indexed, counters, what, lastId }) => {
    if (lastId === null) return []
    const following = counters.idAt(counters.numberOf(lastId) + 1n, lastId)
    return [counters.planRecord(indexed.deployment, what, following)]
  })
  const results = reads.length === 0 ? [] : await readUnlessRefused(source, reads, signal)
  let next = 0
  return tallied.map(({ counters, lastId, ...kind }) => {
    const result = lastId === null ? undefined : results[next++]
    const followingTime = result === undefined ? null : counters.decodeRecordTime(kind.what, result)
    return { ...kind, followingTime }
  })
}

/** `lastId`: of the record with the highest number. */
function tallySeries(
  source: EventSource,
  { indexed, counters }: CountedDeployment,
  what: RecordKind,
  logs: readonly ChainLog[],
): Omit<TalliedKind, 'followingTime'> & { readonly lastId: LocalId | null } {
  const made: { readonly number: bigint; readonly id: LocalId }[] = []
  const unreadable: number[] = []
  let lastBlock = 0
  for (const log of logs) {
    if (source.deploymentsByAddress.get(log.address) !== indexed || counters.announces(log) !== what) continue
    const event = indexed.adapter.identifyEvent(log)
    if (event === null) unreadable.push(log.blockTimestamp)
    else {
      made.push({ number: counters.numberOf(event.localId), id: event.localId })
      lastBlock = log.blockNumber
    }
  }
  made.sort((a, b) => (a.number < b.number ? -1 : Number(a.number > b.number)))
  const numbers = made.map(({ number }) => number)
  return { indexed, what, numbers, unreadable, lastBlock, lastId: made.at(-1)?.id ?? null }
}

/**
 * Results of reads, at the newest state by default, or none if the endpoints refuse the reads: a refusal does not stop the chain.
 * Other failures reject, because logs may come from a pruned endpoint meanwhile.
 */
export async function readUnlessRefused(
  source: EventSource,
  reads: Parameters<EventSource['client']['readContracts']>[0],
  signal: AbortSignal,
  at: ReadBlock = { kind: 'latest' },
): Promise<readonly ReadResult[]> {
  try {
    return await source.client.readContracts(reads, at, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof RpcRefusedError)) throw error
    return []
  }
}
