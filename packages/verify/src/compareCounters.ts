import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAgentChange } from '@attestry/core/model/agents.ts'
import { isUnannounced, positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import {
  nounOf,
  type ChainLog,
  type RecordCounters,
  type RecordKind,
} from '@attestry/core/protocols/protocolAdapter.ts'
import type { Difference, IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { EventSource, IndexedDeployment } from '@attestry/core/sync/fetchEvents.ts'
import type { LogWitness } from '@attestry/core/sync/findWithheldBlocks.ts'
import { countedDeployments, findNextId } from '@attestry/core/sync/tallyLogs.ts'
import { findUnannounced } from '@attestry/core/sync/unannouncedRecords.ts'
import type { Pin } from './fetchChainEvents.ts'
import { findBlocksAt } from '@attestry/core/sync/findBlocksAt.ts'
import { findMissingNumbers } from './findMissingNumbers.ts'
import type { BlockSpan } from './findings.ts'

/** Most runs of missing records whose blocks are searched; each search takes about fifty requests. */
const locatedRunsMax = 16

/** The comparison of the contracts' counters with the index. */
export interface CounterComparison {
  readonly differences: readonly Difference[]
  /** False if no endpoint has the state of the pinned block any more; then only gaps were searched. */
  readonly compared: boolean
  /** The blocks of the missing records, to be compared. */
  readonly spans: readonly BlockSpan[]
  /** The logs that the contracts left out, of stored and of missing records. */
  readonly unannounced: readonly ChainLog[]
}

interface Comparison {
  readonly chainId: ChainId
  readonly audit: IndexAudit
  readonly source: EventSource
  readonly pin: Pin
  readonly witness: LogWitness
  readonly signal: AbortSignal
}

/**
 * Compares the stored records of contracts that number theirs with the counters of those contracts at the pinned block:
 * which numbers are missing, and which do not exist yet. If no endpoint has that state any more, only gaps between
 * records count.
 */
export async function compareCounters(comparison: Comparison): Promise<CounterComparison> {
  const differences: Difference[] = []
  const spans: BlockSpan[] = []
  const unannounced: ChainLog[] = []
  let counts = 0
  for (const { indexed, counters } of countedDeployments(comparison.source)) {
    for (const what of counters.kinds) {
      counts += 1
      const compared = await compareCounter(comparison, indexed, counters, what)
      differences.push(...compared.differences)
      spans.push(...compared.spans)
      unannounced.push(...compared.unannounced)
    }
  }
  return { differences, spans, unannounced, compared: counts === 0 || !comparison.pin.isLoose() }
}

async function compareCounter(
  comparison: Comparison,
  indexed: IndexedDeployment,
  counters: RecordCounters,
  what: RecordKind,
): Promise<Omit<CounterComparison, 'compared'>> {
  const { chainId, source, pin, witness, signal } = comparison
  const { deployment } = indexed
  const noun = nounOf(counters, what)
  const next = await findNextId({ indexed, counters }, what, (reads) => pin.readContracts(reads, signal))
  if (next === null) return { differences: [], spans: [], unannounced: [] }
  const counted = counters.numberOf(next)
  const untold: bigint[] = []
  const gaps = await findMissingNumbers(
    recordsUpTo(listIds(comparison, deployment.protocol, what), pin.header.number, (record) => {
      if (isUnannounced(record.position)) untold.push(counters.numberOf(record.localId))
    }),
    counters.numberOf,
    pin.isLoose() ? null : counted,
  )
  const differ = (
    subject: string,
    blockNumber: number | null,
    values: Pick<Difference, 'stored' | 'expected'>,
  ): Difference => ({
    what: 'counter',
    chainId,
    blockNumber,
    subject,
    field: null,
    ...values,
    remedy: 'reindex',
  })
  const differences = gaps.beyond.map(({ localId, position }) =>
    differ(`${noun} ${localId}`, positionBlock(position), {
      stored: localId,
      expected: `below ${next}`,
    }),
  )
  const known = gaps.missing.length === 0 ? new Set<LocalId>() : await findUndecodable(comparison, indexed)
  const missing = gaps.missing.filter((number) => !known.has(counters.idAt(number, next)))
  const unannounced = await findUnannounced(
    {
      source,
      indexed,
      numbers: [...untold, ...missing],
      within: { fromBlock: deployment.startBlock, toBlock: pin.header.number },
      pinned: pin.header,
      witness,
      readContracts: (reads) => pin.readContracts(reads, signal),
    },
    signal,
  )
  if (missing.length === 0) return { differences, spans: [], unannounced }
  const located = await locate(comparison, indexed, counters, what, next, missing)
  const expected = BigInt(gaps.stored) + gaps.missingCount - BigInt(gaps.missing.length - missing.length)
  // Without a stored record, the first number of the contract is unknown: a record that is not found may not exist.
  if (gaps.first === null && located.spans.length === 0) return { differences, spans: [], unannounced }
  return {
    differences: [
      ...differences,
      {
        ...differ(`${deployment.protocol} ${noun}s`, null, {
          stored: `${gaps.stored} records`,
          expected: `${expected} records, up to number ${counted - 1n}`,
        }),
        // Too many to search one by one: the whole chain has to be compared.
        remedy: gaps.missingCount === BigInt(gaps.missing.length) && located.complete ? 'reindex' : 'recount',
      },
    ],
    spans: located.spans,
    unannounced,
  }
}

/** The local ids of a protocol's records, in the order of the chain; those of agents by their registrations. */
async function* listIds(
  { chainId, audit, pin }: Comparison,
  protocol: ProtocolName,
  what: RecordKind,
): AsyncGenerator<{ readonly localId: LocalId; readonly position: Position }> {
  if (what !== 'subject') {
    for await (const record of audit.listLocalIds(chainId, protocol, what)) yield record
    return
  }
  for await (const { event } of audit.readEvents(chainId, 0, pin.header.number)) {
    if (event.kind !== 'metadataSet' || event.of !== 'agent' || event.protocol !== protocol) continue
    const { subject, position } = event
    if (parseAgentChange(event.body)?.change === 'registered') yield { localId: subject as LocalId, position }
  }
}

async function* recordsUpTo<Item extends { readonly position: Parameters<typeof positionBlock>[0] }>(
  records: AsyncIterable<Item>,
  lastBlock: number,
  onRecord: (record: Item) => void,
): AsyncGenerator<Item> {
  for await (const record of records) {
    if (positionBlock(record.position) > lastBlock) return
    onRecord(record)
    yield record
  }
}

/** Records whose log is stored as undecodable. */
async function findUndecodable(
  { chainId, audit, pin }: Comparison,
  { adapter }: IndexedDeployment,
): Promise<ReadonlySet<LocalId>> {
  const known = new Set<LocalId>()
  for await (const { event } of audit.readEvents(chainId, 0, pin.header.number)) {
    if (event.kind !== 'undecodableLog') continue
    const identified = adapter.identifyEvent({
      address: event.contract,
      topics: event.topics,
      data: event.data,
    })
    if (identified !== null && identified.kind !== 'attestationRevoked') known.add(identified.localId)
  }
  return known
}

/**
 * The blocks of the records with these numbers: for each run of numbers, from the block of the first record to that of
 * the last. `complete`: whether every run was found.
 */
async function locate(
  { source, pin, signal }: Comparison,
  { deployment }: IndexedDeployment,
  counters: RecordCounters,
  what: RecordKind,
  next: LocalId,
  numbers: readonly bigint[],
): Promise<{ readonly spans: readonly BlockSpan[]; readonly complete: boolean }> {
  const reads = numbers.map((number) => counters.planRecord(deployment, what, counters.idAt(number, next)))
  const results = await pin.readContracts(reads, signal)
  const within = { fromBlock: deployment.startBlock, toBlock: pin.header.number }
  const runs = runsOf(numbers)
  const found = await Promise.all(
    runs.slice(0, locatedRunsMax).map(async (run): Promise<BlockSpan | null> => {
      const times = run.flatMap((index) => {
        const result = results[index]
        const time = result === undefined ? null : counters.decodeRecordTime(what, result)
        return time === null ? [] : [time]
      })
      if (times.length === 0) return null
      const first = await findBlocksAt(source.client, Math.min(...times), within, signal)
      const last = await findBlocksAt(source.client, Math.max(...times), within, signal)
      return first === null || last === null ? null : { fromBlock: first.fromBlock, toBlock: last.toBlock }
    }),
  )
  const spans = found.filter((span) => span !== null)
  return { spans, complete: spans.length === runs.length }
}

/** The runs of consecutive numbers, by index. */
function runsOf(numbers: readonly bigint[]): number[][] {
  const runs: number[][] = []
  for (const [index, number] of numbers.entries()) {
    const before = numbers[index - 1]
    if (before !== undefined && before + 1n === number) runs.at(-1)?.push(index)
    else runs.push([index])
  }
  return runs
}
