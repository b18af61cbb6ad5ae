import type { ReadBlock } from '../chain/chainClient.ts'
import { RpcRefusedError } from '../errors/rpcErrors.ts'
import type { LocalId } from '../model/compositeId.ts'
import type {
  ChainLog,
  ContractRead,
  FetchedLog,
  ProtocolAdapter,
  ReadResult,
  RecordCounters,
  RecordKind,
} from '../protocols/protocolAdapter.ts'
import type { EventSource, IndexedDeployment } from './fetchEvents.ts'
import { readByTwo } from './readAgreed.ts'
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
  return adapter.counters.announces(log) !== null && identifyRecord(adapter, log) !== null
}

/** Whether a log announces one of the missing records. */
export function isOfGap({ indexed, what, first, last }: RecordGap, log: FetchedLog): boolean {
  const { adapter, deployment } = indexed
  if (adapter.counters === null || adapter.counters.announces(log) !== what) return false
  const id = adapter.contractsOf(deployment).includes(log.address) ? identifyRecord(adapter, log) : null
  if (id === null) return false
  const number = adapter.counters.numberOf(id)
  return number >= first && number <= last
}

/** The id of the record that a log announces; null if the log cannot be read. */
function identifyRecord(adapter: ProtocolAdapter, log: FetchedLog): LocalId | null {
  const searched = adapter.counters?.searched ?? null
  return searched === null ? (adapter.identifyEvent(log)?.localId ?? null) : searched.identify(log)
}

/** The id of the next record of a kind in the state that `read` reads; null if the contract does not tell. */
export async function findNextId(
  { indexed: { deployment }, counters }: CountedDeployment,
  what: RecordKind,
  read: (reads: readonly ContractRead[]) => Promise<readonly ReadResult[]>,
): Promise<LocalId | null> {
  const { searched } = counters
  if (searched === null) return counters.decodeNext(await read(counters.planNext(deployment, what)))
  const idAt = (number: bigint) => counters.idAt(number, searched.firstId)
  // Invariant: all records below `low` exist, the record `high` does not.
  let low = counters.numberOf(searched.firstId)
  let high: bigint | null = null
  while (high === null || low < high) {
    const first: bigint = low
    const probes: readonly bigint[] =
      high === null
        ? Array.from({ length: doublingsMax }, (_, index) => first + 2n ** BigInt(index) - 1n)
        : probesBetween(low, high)
    const results = await read(probes.map((number) => counters.planRecord(deployment, what, idAt(number))))
    const existing = results.map((result) => searched.exists(result))
    const missing = existing.indexOf(false)
    if (existing.length < probes.length || existing.includes(null)) return null
    high = missing === -1 ? high : (probes[missing] ?? high)
    if (high === null) return null
    low = missing === -1 ? high : missing === 0 ? low : (probes[missing - 1] ?? low) + 1n
  }
  return idAt(low)
}

/** Twice as many records each: more than any contract will ever have. */
const doublingsMax = 40
/** The number of records that one search step reads. */
const probesMax = 64

/** Evenly spaced numbers from `low` to `high - 1`, ascending; the last one is among them. */
export function probesBetween(low: bigint, high: bigint): readonly bigint[] {
  const step = (high - low + BigInt(probesMax) - 1n) / BigInt(probesMax)
  const probes: bigint[] = []
  for (let number = high - 1n; number >= low; number -= step) probes.push(number)
  return probes.toReversed()
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
    if (lastId === null || counters.searched !== null) return []
    const following = counters.idAt(counters.numberOf(lastId) + 1n, lastId)
    return [counters.planRecord(indexed.deployment, what, following)]
  })
  const results = reads.length === 0 ? [] : await readUnlessRefused(source, reads, signal)
  let next = 0
  return tallied.map(({ counters, lastId, ...kind }) => {
    const result = lastId === null || counters.searched !== null ? undefined : results[next++]
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
    const id = identifyRecord(indexed.adapter, log)
    if (id === null) unreadable.push(log.blockTimestamp)
    else {
      made.push({ number: counters.numberOf(id), id })
      lastBlock = log.blockNumber
    }
  }
  made.sort((a, b) => (a.number < b.number ? -1 : Number(a.number > b.number)))
  const numbers = made.map(({ number }) => number)
  return { indexed, what, numbers, unreadable, lastBlock, lastId: made.at(-1)?.id ?? null }
}

/**
 * Results of reads, as two endpoints give them, or none if the endpoints refuse the reads: a refusal does not stop the
 * chain. By default, the reads are of the newest state.
 * Other failures reject, because logs may come from a pruned endpoint meanwhile.
 */
export async function readUnlessRefused(
  source: EventSource,
  reads: readonly ContractRead[],
  signal: AbortSignal,
  at: ReadBlock = { kind: 'latest' },
): Promise<readonly ReadResult[]> {
  try {
    return await readByTwo(source, reads, at, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof RpcRefusedError)) throw error
    return []
  }
}
