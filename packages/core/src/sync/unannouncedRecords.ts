import type { BlockHeader } from '../chain/chainClient.ts'
import { blockNumbers, type BlockRef } from '../model/chainState.ts'
import type { ChainLog, ContractRead, ReadResult } from '../protocols/protocolAdapter.ts'
import { fetchOwnLogs, type EventSource, type IndexedDeployment } from './fetchEvents.ts'
import type { BlockRange } from './fetchRange.ts'
import { findBlocksAt } from './findBlocksAt.ts'
import { createLogWitness, type LogWitness } from './findWithheldBlocks.ts'
import type { RecordGap } from './recordSeries.ts'
import { countedDeployments, readUnlessRefused } from './tallyLogs.ts'

/**
 * Records that a contract made without a log (docs/adr/0022). Each gets the log that the contract left out, and goes
 * the way of all other records from there. Its block is the first one with the creation time of the record.
 */

/** The deployments whose contract may still make records without a log, by its newest state. */
export async function findSilentDeployments(
  source: EventSource,
  signal: AbortSignal,
): Promise<readonly IndexedDeployment[]> {
  const silent: IndexedDeployment[] = []
  for (const { indexed, counters } of countedDeployments(source)) {
    if (counters.unannounced === null) continue
    const [state] = await readUnlessRefused(
      source,
      [counters.unannounced.planState(indexed.deployment)],
      signal,
    )
    if (state !== undefined && counters.unannounced.mayGoOn(state)) silent.push(indexed)
  }
  return silent
}

/** A search for logs that a contract left out. */
export interface UnannouncedSearch {
  readonly source: EventSource
  readonly indexed: IndexedDeployment
  readonly numbers: readonly bigint[]
  /** The blocks to search. */
  readonly within: BlockRange
  /** A block of the chain not before those, which is not replaced meanwhile. */
  readonly pinned: BlockHeader
  /** Tells which blocks may have logs that no endpoint returned; one for all searches up to the same pinned block. */
  readonly witness: LogWitness
  readonly readContracts: (reads: readonly ContractRead[]) => Promise<readonly ReadResult[]>
}

/**
 * The logs of those records that exist and certainly have none. Certain is it where each block with the creation time of
 * the record has a bloom that excludes the log, or other logs that the endpoints return. Any other log may be pruned.
 */
export async function findUnannounced(
  { source, indexed, numbers, within, pinned, witness, readContracts }: UnannouncedSearch,
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const found: ChainLog[] = []
  const records = await readRecords(indexed, numbers, readContracts)
  for (const [time, made] of Map.groupBy(records, (record) => record.time)) {
    const searched = { fromBlock: within.fromBlock, toBlock: pinned.number }
    const blocks = await findBlocksAt(source.client, time, searched, signal)
    if (blocks === null || blocks.toBlock > within.toBlock) continue
    const { fromBlock, toBlock } = blocks
    const told = await fetchOwnLogs(source, fromBlock, toBlock, signal)
    const isTold = (block: number) => told.some(({ blockNumber }) => blockNumber === block)
    const untold = blockNumbers(fromBlock, toBlock).filter((block) => !isTold(block))
    const [block] = await source.client.fetchHeaders(fromBlock, fromBlock, signal)
    if (block === undefined || (await witness.findWithheld(untold, signal)).size > 0) continue
    const announced = announcedNumbers(indexed, told)
    found.push(...made.filter(({ number }) => !announced.has(number)).map(({ logIn }) => logIn(block)))
  }
  return found
}

/** The logs that the contract left out of the records of a gap, and of records that follow them likewise. */
export async function findUnannouncedOfGap(
  source: EventSource,
  { indexed, first, last, fromBlock, toBlock }: RecordGap,
  pinned: BlockHeader,
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const witness = createLogWitness(source, pinned)
  const within = { fromBlock, toBlock }
  const readContracts = (reads: readonly ContractRead[]) => readUnlessRefused(source, reads, signal)
  const found: ChainLog[] = []
  let numbers = numbersBetween(first, last + 1n)
  for (let ahead: number = recordsAhead.least; ; ahead = Math.min(4 * ahead, recordsAhead.most)) {
    const search = { source, indexed, numbers, within, pinned, witness, readContracts }
    const logs = await findUnannounced(search, signal)
    found.push(...logs)
    const end = numbers.at(-1)
    if (end === undefined || logs.length < numbers.length) return found
    numbers = numbersBetween(end + 1n, end + 1n + BigInt(ahead))
  }
}

/** Records that are read together after those of a gap: few at first, since each may be a request of its own. */
const recordsAhead = { least: 16, most: 256 } as const

/**
 * The missing logs of records that were made in blocks near the head, told by the counters of the contracts in the
 * blocks before and after. `remembered`: the indexed blocks before `headers`, as far as they are remembered.
 */
export async function findUnannouncedAtHead(
  source: EventSource,
  silent: readonly IndexedDeployment[],
  { remembered, headers }: Record<'remembered' | 'headers', readonly BlockRef[]>,
  logs: readonly ChainLog[],
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const [tip, last] = [remembered.at(-1), headers.at(-1)]
  const found: ChainLog[] = []
  for (const indexed of silent) {
    const { counters } = indexed.adapter
    if (counters === null || last === undefined) continue
    const readAt = (block: BlockRef) => (reads: readonly ContractRead[]) =>
      readUnlessRefused(source, reads, signal, { kind: 'blockHash', hash: block.hash })
    const nextAt = async (block: BlockRef): Promise<bigint | null> => {
      const results = await readAt(block)(counters.planNext(indexed.deployment, 'attestation'))
      const next = counters.decodeNext(results)
      // A contract that is not deployed yet has made nothing.
      return next === null ? (results.length === 0 ? null : 1n) : counters.numberOf(next)
    }
    const [first, next] = [tip === undefined ? 1n : await nextAt(tip), await nextAt(last)]
    if (first === null || next === null) continue
    const announced = announcedNumbers(indexed, logs)
    const numbers = numbersBetween(first, next).filter((number) => !announced.has(number))
    for (const { time, logIn } of await readRecords(indexed, numbers, readAt(last))) {
      const block = [...remembered, ...headers].find(({ timestamp }) => timestamp === time)
      if (block !== undefined) found.push(logIn(block))
    }
  }
  return found
}

/** The numbers from `first` to `next - 1`. */
function numbersBetween(first: bigint, next: bigint): readonly bigint[] {
  return Array.from({ length: Math.max(0, Number(next - first)) }, (_, index) => first + BigInt(index))
}

interface NumberedRecord {
  readonly number: bigint
  /** When the record was made, in Unix seconds. */
  readonly time: number
  logIn(block: BlockRef): ChainLog
}

/** The existing ones of the records with these numbers. */
async function readRecords(
  { deployment, adapter: { counters } }: IndexedDeployment,
  numbers: readonly bigint[],
  readContracts: UnannouncedSearch['readContracts'],
): Promise<readonly NumberedRecord[]> {
  if (counters === null || counters.unannounced === null || numbers.length === 0) return []
  const { unannounced } = counters
  const next = counters.decodeNext(await readContracts(counters.planNext(deployment, 'attestation')))
  if (next === null) return []
  const ids = numbers.map((number) => counters.idAt(number, next))
  const results = await readContracts(ids.map((id) => counters.planRecord(deployment, 'attestation', id)))
  return ids.flatMap((id, index): readonly NumberedRecord[] => {
    const result = results[index]
    const time = result === undefined ? null : counters.decodeRecordTime('attestation', result)
    const logIn = (block: BlockRef) => unannounced.makeLog(deployment, id, block)
    return time === null ? [] : [{ number: counters.numberOf(id), time, logIn }]
  })
}

function announcedNumbers(
  { deployment, adapter }: IndexedDeployment,
  logs: readonly ChainLog[],
): ReadonlySet<bigint> {
  const { counters } = adapter
  return new Set(
    logs.flatMap((log) => {
      if (log.address !== deployment.address || counters?.announces(log) !== 'attestation') return []
      const event = adapter.identifyEvent(log)
      return event === null ? [] : [counters.numberOf(event.localId)]
    }),
  )
}
