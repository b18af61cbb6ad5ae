import type { BlockHeader, ChainClient, ReadBlock } from '../chain/chainClient.ts'
import type { Clock } from '../model/clock.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { type Address, type Hex, zeroHash } from '../model/hex.ts'
import { unixSeconds, type UnixSeconds } from '../model/time.ts'
import type {
  ChainLog,
  ContractRead,
  DecodeContext,
  DecodeOutcome,
  Deployment,
  FetchedLog,
  ProtocolAdapter,
  ReadResult,
} from '../protocols/protocolAdapter.ts'
import { placeLogs } from './placeLogs.ts'
import { readAgreed } from './readAgreed.ts'
import { claimedTimestamp, settleClaims, supposedTimestamp } from './settleClaims.ts'

/** One deployment with the adapter of its protocol. */
export interface IndexedDeployment {
  readonly deployment: Deployment
  readonly adapter: ProtocolAdapter
}

/** The dependencies of decoding a chain's logs. */
export interface EventSource {
  readonly client: ChainClient
  readonly deploymentsByAddress: ReadonlyMap<Address, IndexedDeployment>
  readonly addresses: readonly Address[]
  readonly topics: readonly Hex[]
  /** topic0 of the logs whose records need the sender of their transaction. */
  readonly senderTopics: ReadonlySet<Hex>
  /** Whether the senders of all transactions are fetched. */
  readonly transactionSenders: boolean
  /** Blocks behind the head that may still change. */
  readonly finality: number
  readonly clock: Clock
  /** Logs that contracts left out, as far as they were found (`unannouncedRecords.ts`). */
  readonly unannounced: readonly ChainLog[]
  /** The deployments whose contract may still make records without a log. */
  readonly silent: readonly IndexedDeployment[]
}

/** Attempts to read a record that the node does not know yet, before the range fails. */
const staleReadAttemptsMax = 6
/** Delay before the next attempt, times the attempts so far. */
const staleReadDelayMs = 500
/** Final blocks whose logs are read together with those above, so that the range surely begins with a final block. */
export const finalBlocksReread = 64

export function createEventSource(
  client: ChainClient,
  deployments: readonly IndexedDeployment[],
  options: Pick<EventSource, 'transactionSenders' | 'finality' | 'clock' | 'unannounced'>,
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
    senderTopics: new Set(deployments.flatMap(({ adapter }) => adapter.senderTopics)),
    silent: [],
    ...options,
  }
}

/**
 * The logs of the indexed contracts from `fromBlock` to `toBlock`, and those that were left out there, without logs
 * before a contract's first block.
 */
export async function fetchOwnLogs(
  source: EventSource,
  fromBlock: number,
  toBlock: number,
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const { addresses, topics } = source
  const logs = await source.client.fetchLogs({ addresses, topics, fromBlock, toBlock }, signal)
  return completeLogs(source, logs, ({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock)
}

/**
 * Removes logs before the first block of their contract, gives the others their positions, and adds those that were left
 * out in these blocks, unless they were only late.
 */
function completeLogs(
  source: EventSource,
  logs: readonly FetchedLog[],
  isWithin: (log: ChainLog) => boolean,
): readonly ChainLog[] {
  const told = placeLogs(logs.filter((log) => isIndexed(source, log)))
  const recordOf = (log: ChainLog) => {
    const event = deploymentOf(source, log).adapter.identifyEvent(log)
    return event === null ? null : `${log.address} ${log.topics[0]} ${event.localId}`
  }
  const leftOut = source.unannounced.filter(isWithin)
  const records = new Set(leftOut.length === 0 ? [] : told.map(recordOf))
  const untold = leftOut.filter((log) => !records.has(recordOf(log)))
  return untold.length === 0 ? told : [...told, ...untold].sort((a, b) => a.position - b.position)
}

/** Whether the index holds a log of its contracts: they may have logs before the block from which they are indexed. */
export function isIndexed(source: EventSource, log: FetchedLog): boolean {
  return log.blockNumber >= deploymentOf(source, log).deployment.startBlock
}

/** The logs of the indexed contracts in blocks near the head, checked against the headers. */
export async function fetchHeadLogs(
  source: EventSource,
  headers: readonly BlockHeader[],
  signal: AbortSignal,
): Promise<readonly ChainLog[]> {
  const { addresses, topics } = source
  const logs = await source.client.fetchCheckedLogs(headers, { addresses, topics }, signal)
  const hashes = new Set(headers.map(({ hash }) => hash))
  return completeLogs(source, logs, ({ blockHash }) => hashes.has(blockHash))
}

/** The block parameter of the contract reads. */
export function readBlockOf(at: ReadState): ReadBlock {
  return at.kind === 'latest' ? { kind: 'latest' } : { kind: 'blockHash', hash: at.block.hash }
}

/** The state at which records are read: see `fetchEvents`. */
export type ReadState = LatestState | BlockState

interface LatestState {
  readonly kind: 'latest'
  readonly finalTimestamp: UnixSeconds
  readonly headTimestamp: UnixSeconds
}

interface BlockState {
  readonly kind: 'lastBlock'
  readonly block: ReadableBlock
}

type ReadableBlock = Pick<BlockHeader, 'hash' | 'timestamp'>

/**
 * The domain events of logs, in the order of the logs. The records of the logs are read at one state:
 * - `latest`: the newest one, for final blocks. Their records change no more, but for revocations, which have events.
 * - `lastBlock`: the state of the last of the blocks, near the head, where another branch may reuse an id; `headers` are
 *   those of all the blocks.
 * Older states are not requested: most nodes keep those of the newest 128 blocks, and many chains are final later.
 * @throws InconsistentChainError if the endpoints still do not know an announced record after all attempts.
 */
export async function fetchEvents(
  source: EventSource,
  logs: readonly ChainLog[],
  at: LatestState | (BlockState & { readonly headers: readonly BlockHeader[] }),
  signal: AbortSignal,
): Promise<readonly DomainEvent[]> {
  const eventsOfLog = await readEvents(source, logs, at, signal)
  for (const { block, indexes } of await findChangedReads(source, logs, at, signal)) {
    const changed = indexes.map((index) => itemAt(logs, index))
    const again = await readEvents(source, changed, { kind: 'lastBlock', block }, signal)
    for (const [n, index] of indexes.entries()) eventsOfLog[index] = itemAt(again, n)
  }
  if (at.kind === 'lastBlock') {
    const known = eventsOfLog.flat()
    const settledOfLog = eventsOfLog.map((events) => settleClaims(events, null, known))
    return (await proveSupposed(source, logs, settledOfLog, at.headers, signal)).flat()
  }
  const doubtful = [...eventsOfLog.keys()].filter((index) =>
    itemAt(eventsOfLog, index).some((event) => (claimedTimestamp(event) ?? -1n) >= BigInt(at.finalTimestamp)),
  )
  const settled = await fetchSettled(
    source,
    doubtful.map((index) => itemAt(logs, index)),
    signal,
  )
  for (const [n, index] of doubtful.entries()) eventsOfLog[index] = itemAt(settled, n)
  return eventsOfLog.flat()
}

/** Logs whose reads are made again at the state of a block. */
interface ChangedReads {
  readonly block: ReadableBlock
  /** The places of the logs. */
  readonly indexes: readonly number[]
}

/**
 * The logs whose read may already reflect a later log, in a block that may still be replaced. If that block were
 * replaced, the index would lose the later log but keep its effect on the read. They are read again at a block before
 * the later log.
 */
async function findChangedReads(
  source: EventSource,
  logs: readonly ChainLog[],
  at: ReadState,
  signal: AbortSignal,
): Promise<readonly ChangedReads[]> {
  const changing = [...logs.keys()].filter((index) => planRead(source, itemAt(logs, index))?.changes === true)
  if (changing.length === 0) return []
  const isChange = (log: ChainLog) => {
    const read = planRead(source, log)
    return (later: ChainLog) => {
      const other = planRead(source, later)
      return later.blockNumber > log.blockNumber && other?.to === read?.to && other?.data === read?.data
    }
  }
  if (at.kind === 'lastBlock') {
    return changing.flatMap((index) => {
      const log = itemAt(logs, index)
      return logs.some(isChange(log)) ? [{ block: blockOfLog(log), indexes: [index] }] : []
    })
  }
  const { headers, logs: newest } = await fetchTip(source, signal)
  const head = itemAt(headers, headers.length - 1)
  const replaceable = newest.filter(({ blockNumber }) => blockNumber > head.number - source.finality)
  const blockOf = (index: number) => {
    const change = replaceable.find(isChange(itemAt(logs, index)))
    return headers.findLast(({ number }) => change === undefined || number < change.blockNumber) ?? head
  }
  return [...Map.groupBy(changing, blockOf)].map(([block, indexes]) => ({ block, indexes }))
}

/** The headers of the blocks that may change, of some final ones below, and all logs of these blocks. */
async function fetchTip(
  source: EventSource,
  signal: AbortSignal,
): Promise<{ readonly headers: readonly BlockHeader[]; readonly logs: readonly ChainLog[] }> {
  const head = await source.client.fetchHead(signal)
  const fromBlock = Math.max(0, head.number - source.finality - finalBlocksReread)
  const headers = await source.client.fetchHeaders(fromBlock, head.number, signal)
  return { headers, logs: await fetchHeadLogs(source, headers, signal) }
}

/**
 * The events of final logs whose records claim a revocation of a time that is not final. Such a claim proves nothing,
 * because its block may be replaced. These few records are read again at the head, with the logs of all blocks that are
 * not final. A claim with a revocation among those logs belongs to that event; any other record was born revoked.
 */
async function fetchSettled(
  source: EventSource,
  logs: readonly ChainLog[],
  signal: AbortSignal,
): Promise<readonly (readonly DomainEvent[])[]> {
  if (logs.length === 0) return []
  const { headers, logs: newest } = await fetchTip(source, signal)
  const block = itemAt(headers, headers.length - 1)
  const later = newest.filter((log) => planRead(source, log) === null)
  const at = { kind: 'lastBlock', block } as const
  const eventsOfLog = await readEvents(source, [...logs, ...later], at, signal)
  const known = eventsOfLog.flat()
  // A claim up to the time of the first block belongs to a final block; its event, if any, comes with that block.
  const since = itemAt(headers, 0).timestamp
  const settledOfLog = eventsOfLog.slice(0, logs.length).map((events) => settleClaims(events, since, known))
  return await proveSupposed(source, logs, settledOfLog, headers, signal)
}

/**
 * Distinguishes records that were born revoked from those whose revocation event the endpoints give late. The block of
 * that event may be replaced, and nothing would read the record again. So the record is read once more at the state
 * before the time of its revocation. If it is not revoked there, it has an event, and is not revoked until the event
 * arrives. If no endpoint keeps that state, a record without an event is still supposed to be born revoked.
 * `headers`: linked blocks; the last one is the state at which the records were read.
 */
async function proveSupposed(
  source: EventSource,
  logs: readonly ChainLog[],
  eventsOfLog: readonly (readonly DomainEvent[])[],
  headers: readonly BlockHeader[],
  signal: AbortSignal,
): Promise<readonly (readonly DomainEvent[])[]> {
  const last = itemAt(headers, headers.length - 1)
  const stateBefore = (index: number): ReadableBlock | null => {
    const supposed = itemAt(eventsOfLog, index)
      .map(supposedTimestamp)
      .find((timestamp) => timestamp !== null)
    if (supposed === undefined) return null
    const log = itemAt(logs, index)
    const before = headers.findLast(({ timestamp }) => BigInt(timestamp) < supposed)
    const isMadeBefore = before !== undefined && before.number >= log.blockNumber
    const block = isMadeBefore ? before : blockOfLog(log)
    return block.hash === last.hash ? null : block
  }
  const proven = [...eventsOfLog]
  for (const index of logs.keys()) {
    const block = stateBefore(index)
    if (block === null) continue
    try {
      const [again] = await readEvents(source, [itemAt(logs, index)], { kind: 'lastBlock', block }, signal)
      if (again?.every((event) => claimedTimestamp(event) === null)) proven[index] = again
    } catch (error) {
      if (!(error instanceof RpcMissingError || error instanceof RpcRefusedError)) throw error
    }
  }
  return proven
}

function blockOfLog({ blockHash, blockTimestamp }: ChainLog): ReadableBlock {
  return { hash: blockHash, timestamp: blockTimestamp }
}

/** The events of each log, with records read at one state; unknown records are read again. */
async function readEvents(
  source: EventSource,
  logs: readonly ChainLog[],
  at: ReadState,
  signal: AbortSignal,
): Promise<(readonly DomainEvent[])[]> {
  const transactions = await fetchTransactions(source, logs, signal)
  const eventsOfLog = new Array<readonly DomainEvent[]>(logs.length)
  let pending = logs.map((_, index) => index)
  for (let attempt = 1; pending.length > 0; attempt++) {
    const results = await fetchReads(source, logs, pending, at, signal)
    const stale: number[] = []
    let reason = ''
    for (const index of pending) {
      const log = itemAt(logs, index)
      const outcome = decodeLog(source, log, results.get(index) ?? null, transactions, at)
      const isLast = attempt >= staleReadAttemptsMax
      if (outcome.kind === 'events') eventsOfLog[index] = outcome.events
      else if (isLast && outcome.otherwise !== undefined) eventsOfLog[index] = outcome.otherwise
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
  return eventsOfLog
}

/** Decodes a log with the result of its read at a state. */
export function decodeLog(
  source: EventSource,
  log: ChainLog,
  result: ReadResult | null,
  transactions: TransactionsOfLogs,
  at: ReadState,
): DecodeOutcome {
  const { deployment, adapter } = deploymentOf(source, log)
  return adapter.decodeLog(deployment, log, result, {
    headTimestamp:
      at.kind === 'latest' ? newestTimestamp(source.clock, at.headTimestamp) : at.block.timestamp,
    ...transactions.of(log),
  })
}

/** Decodes a log with only the result of its read, without anything of its transaction. */
export function decodeRead(
  source: EventSource,
  log: ChainLog,
  result: ReadResult,
  at: ReadState,
): DecodeOutcome {
  return decodeLog(source, log, result, noTransactions, at)
}

/** The contract read that completes a log; null if the log needs none. */
export function planRead(source: EventSource, log: ChainLog): ContractRead | null {
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
 * An upper bound for the time of a block read at `latest`. A backfill runs for hours after it read the head, so the
 * machine's clock counts if it is ahead of the chain's.
 */
function newestTimestamp(clock: Clock, headTimestamp: UnixSeconds): UnixSeconds {
  return unixSeconds(Math.max(headTimestamp, Math.floor(clock.nowMs() / 1000)))
}

/** The parts of a log's transaction that decoding needs. */
export interface TransactionsOfLogs {
  of(log: ChainLog): Pick<DecodeContext, 'transactionSender' | 'transactionLogs'>
}

const noTransactions: TransactionsOfLogs = {
  of: () => ({ transactionSender: null, transactionLogs: [] }),
}

/** The transactions of the logs of whole blocks. */
export async function fetchTransactions(
  source: EventSource,
  logs: readonly ChainLog[],
  signal: AbortSignal,
): Promise<TransactionsOfLogs> {
  const logsOf = Map.groupBy(logs, (log) => log.transactionHash)
  const isNeeded = ({ topics: [topic] }: ChainLog) => topic !== undefined && source.senderTopics.has(topic)
  // Other records of a transaction whose sender is needed have no sender either: they say what the configuration asks.
  const isWanted = (log: ChainLog) =>
    log.transactionHash !== zeroHash && (source.transactionSenders || isNeeded(log))
  const hashes = [...new Set(logs.filter(isWanted).map((log) => log.transactionHash))]
  const addresses = hashes.length === 0 ? [] : await source.client.fetchTransactionSenders(hashes, signal)
  const senders = new Map(hashes.map((hash, index) => [hash, itemAt(addresses, index)]))
  return {
    of: (log) => ({
      transactionSender: isWanted(log) ? (senders.get(log.transactionHash) ?? null) : null,
      transactionLogs: logsOf.get(log.transactionHash) ?? [],
    }),
  }
}

/** The results of the contract reads of the logs at `indexes`, by index. */
async function fetchReads(
  source: EventSource,
  logs: readonly ChainLog[],
  indexes: readonly number[],
  at: ReadState,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, ReadResult>> {
  const planned = indexes.flatMap((index) => {
    const read = planRead(source, itemAt(logs, index))
    return read === null ? [] : [{ index, read }]
  })
  const answers = await readAgreed(
    source,
    planned.map(({ index, read }) => ({
      read,
      about: `a record of block ${itemAt(logs, index).blockNumber}`,
      decode: (result) => {
        const outcome = decodeRead(source, itemAt(logs, index), result, at)
        return outcome.kind === 'events' ? outcome.events : null
      },
    })),
    readBlockOf(at),
    signal,
  )
  return new Map(planned.map(({ index }, n) => [index, itemAt(answers, n)]))
}

export function deploymentOf(source: EventSource, log: FetchedLog): IndexedDeployment {
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
