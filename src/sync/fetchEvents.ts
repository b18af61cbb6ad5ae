import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import type { Clock } from '../model/clock.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import { unixSeconds, type UnixSeconds } from '../model/time.ts'
import type {
  ChainLog,
  ContractRead,
  DecodeOutcome,
  Deployment,
  ProtocolAdapter,
  ReadResult,
} from '../protocols/protocolAdapter.ts'

/** One deployment with the adapter of its protocol. */
export interface IndexedDeployment {
  readonly deployment: Deployment
  readonly adapter: ProtocolAdapter
}

/** Everything that turning logs into events needs to know of a chain. */
export interface EventSource {
  readonly client: ChainClient
  readonly deploymentsByAddress: ReadonlyMap<Address, IndexedDeployment>
  readonly addresses: readonly Address[]
  readonly topics: readonly Hex[]
  readonly transactionSenders: boolean
  /** Blocks behind the head that may still change. */
  readonly finality: number
  readonly clock: Clock
}

/** How often a record that the node does not know yet is asked for before the range is given up for now. */
const staleReadAttemptsMax = 6
/** How long to wait before it is asked again, for each time that it was asked. */
const staleReadDelayMs = 500

export function createEventSource(
  client: ChainClient,
  deployments: readonly IndexedDeployment[],
  options: Pick<EventSource, 'transactionSenders' | 'finality' | 'clock'>,
): EventSource {
  const deploymentsByAddress = new Map<Address, IndexedDeployment>()
  for (const indexed of deployments) {
    for (const address of indexed.adapter.contractsOf(indexed.deployment)) {
      deploymentsByAddress.set(address, indexed)
    }
  }
  return {
    client,
    deploymentsByAddress,
    addresses: [...deploymentsByAddress.keys()],
    topics: [...new Set(deployments.flatMap(({ adapter }) => adapter.topics))],
    ...options,
  }
}

/** The logs of our contracts from `fromBlock` to `toBlock`; those before a contract's first block do not count. */
export async function fetchOwnLogs(
  source: EventSource,
  fromBlock: number,
  toBlock: number,
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const { addresses, topics } = source
  const logs = await source.client.fetchLogs({ addresses, topics, fromBlock, toBlock }, signal)
  return withoutEarlyLogs(source, logs)
}

/** Leaves out the logs that stand before their contract's first block. */
function withoutEarlyLogs(source: EventSource, logs: readonly ChainLog[]): readonly ChainLog[] {
  return logs.filter((log) => log.blockNumber >= deploymentOf(source, log).deployment.startBlock)
}

/** The logs of our contracts in blocks near the head, held against the blocks' headers. */
export async function fetchHeadLogs(
  source: EventSource,
  headers: readonly BlockHeader[],
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const { addresses, topics } = source
  return withoutEarlyLogs(
    source,
    await source.client.fetchCheckedLogs(headers, { addresses, topics }, signal),
  )
}

/** At which state records are read; see `fetchEvents`. */
export type ReadState =
  | { readonly kind: 'latest'; readonly finalTimestamp: UnixSeconds; readonly headTimestamp: UnixSeconds }
  | { readonly kind: 'logBlock' }

/**
 * The domain events of logs, in their order. Records are read at the newest state (`latest`: right for final blocks, whose
 * records cannot change any more but for revocations, which have events) or at the state of each log's own block
 * (`logBlock`: near the head, where another block may give the same id to another record).
 * @throws InconsistentChainError when a record that a log announces stays unknown to the endpoints.
 */
export async function fetchEvents(
  source: EventSource,
  logs: readonly ChainLog[],
  at: ReadState,
  signal: AbortSignal,
): Promise<readonly DomainEvent[]> {
  const senders = await fetchSenders(source, logs, signal)
  const eventsOfLog = new Array<readonly DomainEvent[]>(logs.length)
  let pending = logs.map((_, index) => index)
  for (let attempt = 1; pending.length > 0; attempt++) {
    const results = await fetchReads(source, logs, pending, at.kind, signal)
    const stale: number[] = []
    let reason = ''
    for (const index of pending) {
      const log = itemAt(logs, index)
      const outcome = decode(source, log, results.get(index) ?? null, senders, at)
      if (outcome.kind === 'events') eventsOfLog[index] = outcome.events
      else {
        stale.push(index)
        reason = outcome.reason
      }
    }
    if (stale.length > 0) {
      if (attempt >= staleReadAttemptsMax) throw unknownRecords(stale.length, reason)
      await source.clock.sleep(staleReadDelayMs * attempt, signal)
    }
    pending = stale
  }
  if (at.kind === 'latest') await settleUnfinalClaims(source, logs, eventsOfLog, senders, at, signal)
  return eventsOfLog.flat()
}

/**
 * A record read at the newest state may claim a revocation by a block that is not final and may yet vanish; such a claim
 * proves nothing. Those records, few at any time, are read again at the newest final block, where a revoked one either has its
 * event in a final block or was born revoked.
 */
async function settleUnfinalClaims(
  source: EventSource,
  logs: readonly ChainLog[],
  eventsOfLog: (readonly DomainEvent[])[],
  senders: ReadonlyMap<Hash, Address>,
  at: ReadState & { readonly kind: 'latest' },
  signal: AbortSignal,
): Promise<void> {
  const doubtful = [...eventsOfLog.keys()].filter((index) =>
    itemAt(eventsOfLog, index).some((event) => (claimedTimestamp(event) ?? -1n) >= BigInt(at.finalTimestamp)),
  )
  if (doubtful.length === 0) return
  const head = await source.client.fetchHead(signal)
  const finalBlock = head.number - source.finality
  const [final] = await source.client.fetchHeaders(finalBlock, finalBlock, signal)
  if (final === undefined) return
  const reads = doubtful.map((index) => planRead(source, itemAt(logs, index)))
  const known = reads.filter((read) => read !== null)
  const results = await source.client.readContracts(known, { kind: 'blockHash', hash: final.hash }, signal)
  let next = 0
  for (const [n, index] of doubtful.entries()) {
    const result = reads[n] === null ? null : itemAt(results, next++)
    const log = itemAt(logs, index)
    const outcome = decode(source, log, result, senders, {
      kind: 'latest',
      finalTimestamp: final.timestamp,
      headTimestamp: final.timestamp,
    })
    if (outcome.kind === 'staleRead') throw unknownRecords(1, outcome.reason)
    eventsOfLog[index] = outcome.events.map((event) =>
      (claimedTimestamp(event) ?? -1n) > BigInt(final.timestamp) ? bornRevoked(event) : event,
    )
  }
}

/** The time of the revocation that a record claims; null for any other event. */
function claimedTimestamp(event: DomainEvent): bigint | null {
  if (event.kind !== 'attestationMade') return null
  const { revocationAtRead } = event.attestation
  return revocationAtRead.kind === 'claimed' ? revocationAtRead.timestamp : null
}

/** A record that is revoked at a block's state with a later time than that block's was born revoked. */
function bornRevoked(event: DomainEvent): DomainEvent {
  const timestamp = claimedTimestamp(event)
  if (event.kind !== 'attestationMade' || timestamp === null) return event
  return { ...event, attestation: { ...event.attestation, revocationAtRead: { kind: 'made', timestamp } } }
}

function decode(
  source: EventSource,
  log: ChainLog,
  result: ReadResult | null,
  senders: ReadonlyMap<Hash, Address>,
  at: ReadState,
): DecodeOutcome {
  const { deployment, adapter } = deploymentOf(source, log)
  return adapter.decodeLog(deployment, log, result, {
    readAtLogBlock: at.kind === 'logBlock',
    headTimestamp:
      at.kind === 'latest' ? newestTimestamp(source.clock, at.headTimestamp) : log.blockTimestamp,
    transactionSender: senders.get(log.transactionHash) ?? null,
  })
}

function planRead(source: EventSource, log: ChainLog): ContractRead | null {
  const { deployment, adapter } = deploymentOf(source, log)
  return adapter.planRead(deployment, log)
}

function unknownRecords(count: number, reason: string): InconsistentChainError {
  return new InconsistentChainError(
    `the endpoints announce ${count} records that they do not know when asked: ${reason}`,
    { retryable: true },
  )
}

/**
 * The latest time that a block read at `latest` can have. A backfill runs for hours after it looked at the head, so the
 * machine's clock counts where it is ahead of the chain's.
 */
function newestTimestamp(clock: Clock, headTimestamp: UnixSeconds): UnixSeconds {
  return unixSeconds(Math.max(headTimestamp, Math.floor(clock.nowMs() / 1000)))
}

async function fetchSenders(
  source: EventSource,
  logs: readonly ChainLog[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Hash, Address>> {
  const senders = new Map<Hash, Address>()
  if (!source.transactionSenders || logs.length === 0) return senders
  const hashes = [...new Set(logs.map((log) => log.transactionHash))]
  const addresses = await source.client.fetchTransactionSenders(hashes, signal)
  for (const [index, hash] of hashes.entries()) senders.set(hash, itemAt(addresses, index))
  return senders
}

/** The contract reads that the logs at `indexes` want, by index of the log. */
async function fetchReads(
  source: EventSource,
  logs: readonly ChainLog[],
  indexes: readonly number[],
  at: 'latest' | 'logBlock',
  signal: AbortSignal,
): Promise<ReadonlyMap<number, ReadResult>> {
  const groups = new Map<Hash | 'latest', { indexes: number[]; reads: ContractRead[] }>()
  for (const index of indexes) {
    const log = itemAt(logs, index)
    const read = planRead(source, log)
    if (read === null) continue
    const block = at === 'latest' ? 'latest' : log.blockHash
    const group = groups.get(block) ?? { indexes: [], reads: [] }
    groups.set(block, group)
    group.indexes.push(index)
    group.reads.push(read)
  }
  const results = new Map<number, ReadResult>()
  await Promise.all(
    [...groups].map(async ([block, group]) => {
      const readBlock =
        block === 'latest' ? { kind: 'latest' as const } : { kind: 'blockHash' as const, hash: block }
      const answers = await source.client.readContracts(group.reads, readBlock, signal)
      for (const [n, index] of group.indexes.entries()) results.set(index, itemAt(answers, n))
    }),
  )
  return results
}

function deploymentOf(source: EventSource, log: ChainLog): IndexedDeployment {
  const indexed = source.deploymentsByAddress.get(log.address)
  if (indexed === undefined) {
    throw new InconsistentChainError(
      `an endpoint sent a log of ${log.address}, a contract that it was not asked for`,
      {
        retryable: true,
      },
    )
  }
  return indexed
}

function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`no item ${index} in a list of ${list.length}`)
  return item
}
