import { setImmediate } from 'node:timers/promises'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { blockNumbers, type BlockRef } from '../model/chainState.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { unixMilliseconds, type UnixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { ApplySummary, BlockBatch, IndexWriter } from '../store/indexWriter.ts'
import { createCommitQueue } from './commitQueue.ts'
import { compareRecords } from './compareRecords.ts'
import { fetchEvents, fetchHeadLogs, fetchOwnLogs, type EventSource } from './fetchEvents.ts'
import { createRecordTally, isNumbered, tallyLogs, type RecordGap, type TalliedRange } from './recordTally.ts'
import { splitAtBlocks, type EventsOfBlocks } from './splitAtBlocks.ts'

/** Blocks behind the head that nodes behind one URL may differ in, and whose logs every node still has. */
const nearHeadBlocks = 128
/** Events that a range should hold, so that the reads and block times of many events share a request where few blocks have any. */
const eventsPerRange = 500
/** Most events that a range should hold where they are dense: all ranges under way are in memory at once. */
const eventsPerRangeMax = 2_500
/** Characters of payloads that count as one event: where records are large, ranges and commits hold fewer of them. */
const payloadPerEvent = 2_000
/** Most requests for logs that one range is worth: what fails is asked for again as a whole. */
const requestsPerRangeMax = 32
/** The first ranges of many are this part of a request's blocks, so that the store has something to do soon where events are dense. */
const firstRangeShare = 8
/** Ranges asked for at the same time. More than a few only queue at the endpoint, and each holds its logs in memory. */
const rangesInFlight = 4
/**
 * Events that are worth being applied at once, since that costs some statements whatever it is; and about as many as are, since
 * endpoints wait for the next requests as long as it takes.
 */
const eventsPerCommit = 5_000
/** Batches handed over at the same time: while the store applies one, the next lies there already. Each holds its events in memory. */
const commitsInFlight = 2
/** Longest time that fetched events wait for company, so that a crash on a sparse chain repeats little. */
const commitIntervalMs = 2_000

export interface BackfillTarget {
  readonly chainId: ChainId
  /** First block to index. */
  readonly fromBlock: number
  /** The block before it, where the index remembers it: what comes next must stand on it. */
  readonly tip: BlockRef | null
  /** Last block to index, with its header: final, so read at the newest state. */
  readonly lastBlock: BlockRef
  readonly headBlock: number
  readonly headTimestamp: UnixSeconds
}

/** What a commit of the backfill brought. */
export interface BackfillCommit {
  readonly summary: ApplySummary
  readonly blockNumber: number
  /** The block of that number, where the index remembers it. */
  readonly block: BlockRef | null
  /** The time of that block or of the newest indexed log; null while none is known. */
  readonly timestamp: UnixSeconds | null
}

export interface BackfillListener {
  onCommit(commit: BackfillCommit): void
  /** Records of blocks that are next to be committed are missing. What it throws ends the backfill; else it goes on without them. */
  onGap(gap: RecordGap, signal: AbortSignal): Promise<void>
}

/**
 * Indexes final blocks: several ranges are fetched at the same time and committed in order. On return the checkpoint is
 * `target.lastBlock`. Whatever interrupts it, all that was committed is whole, and the last block of what was fetched is
 * remembered as it was before its logs were asked for: should the chain change below it meanwhile, the next comparison shows it.
 */
export async function backfill(
  source: EventSource,
  writer: IndexWriter,
  target: BackfillTarget,
  { onCommit, onGap }: BackfillListener,
  signal: AbortSignal,
): Promise<void> {
  // An inner signal ends the ranges under way when one of them fails, so that no request outlives this call.
  const stop = new AbortController()
  const inner = AbortSignal.any([signal, stop.signal])
  const queue: { fromBlock: number; toBlock: number; fetched: Promise<FetchedRange> }[] = []
  let nextBlock = target.fromBlock
  let sentTo = target.fromBlock - 1
  let waiting: DomainEvent[] = []
  let newestTimestamp: UnixSeconds | null = null
  let waitingLoad = 0
  let blocksPerEvent: number | null = null
  let previous = target.tip
  let isProved = source.client.isAlone()
  const tallied = startTally(source, target, inner)
  tallied.catch(() => undefined)
  const { clock } = source
  let lastCommitMs = clock.nowMs()
  /** Where another thread or process works on them, the next ranges are fetched meanwhile. */
  const commits = createCommitQueue(commitsInFlight)

  const schedule = () => {
    while (queue.length < rangesInFlight && nextBlock <= target.lastBlock.number) {
      const fromBlock = nextBlock
      const blocksLeft = target.lastBlock.number - fromBlock + 1
      const blocks = rangeBlocks(source.client.logRangeBlocks(), blocksPerEvent, blocksLeft)
      const toBlock = Math.min(target.lastBlock.number, fromBlock + blocks - 1)
      const fetched = fetchRange(source, fromBlock, toBlock, target, inner)
      // The failure is met when the range's turn comes; until then it must not count as unhandled.
      fetched.catch(() => undefined)
      queue.push({ fromBlock, toBlock, fetched })
      nextBlock = toBlock + 1
    }
  }

  /** Holds what a range has against what its contracts made, and tells of what is missing. */
  const meetGaps = async (range: TalliedRange) => {
    const tally = await tallied
    for (let gap = tally?.take(range); gap !== null && gap !== undefined; gap = tally?.take(range)) {
      await onGap(gap, inner)
      tally?.giveUp(gap)
    }
  }

  /** Hands what was fetched up to a block to the store, which has room for it as soon as little enough is under way. */
  const commit = async (events: readonly DomainEvent[], last: BlockRef, timestamp: UnixSeconds | null) => {
    for (const part of splitAtBlocks(events, last.number, eventsOfParts(events.length))) {
      const block = part.toBlock === last.number ? last : null
      const batch = createBatch(part, {
        fromBlock: sentTo + 1,
        block,
        storedAt: unixMilliseconds(clock.nowMs()),
        moreFollows: part.toBlock < target.lastBlock.number,
      })
      await commits.add(async () => {
        const summary = await writer.applyBlocks(target.chainId, batch)
        onCommit({ summary, blockNumber: part.toBlock, block, timestamp: block?.timestamp ?? timestamp })
      })
      sentTo = part.toBlock
      // Answers that came meanwhile are taken, and the next requests sent, before the next commit.
      await setImmediate()
      signal.throwIfAborted()
    }
  }

  try {
    schedule()
    for (let range = queue.shift(); range !== undefined; range = queue.shift()) {
      const { events, kinds, firstRecord, firstHeader, lastHeader, lastTimestamp } = await range.fetched
      assertFollows(previous, firstHeader)
      previous = lastHeader
      const load = loadOf(events)
      blocksPerEvent = (range.toBlock - range.fromBlock + 1) / Math.max(1, load)
      schedule()
      const tally = await tallied
      const done = range.toBlock === target.lastBlock.number
      await meetGaps({ ...range, lastTimestamp: lastHeader.timestamp, kinds })
      // Nothing is committed of which the next block may tell that a record is missing: what is indexed is not taken back for it.
      const isOpen = tally?.awaitsRecordAt(lastHeader.timestamp) === true
      if (isOpen && done && target.headBlock > range.toBlock) {
        const nextTimestamp = await fetchTimestamp(source, range.toBlock + 1, inner)
        await meetGaps({ ...range, lastTimestamp: nextTimestamp, kinds: [] })
      }
      if (!isProved && firstRecord !== null) {
        await assertKept(source, firstRecord, inner)
        isProved = true
      }
      newestTimestamp = lastTimestamp ?? newestTimestamp
      for (const event of events) waiting.push(event)
      waitingLoad += load
      // Until endpoints have been proved by a log, what some of them answered with nothing may have to be fetched again.
      const isUnproved = !isProved && tally?.awaitsRecordBefore(target.lastBlock.timestamp) === true
      const due = !isUnproved && Math.abs(clock.nowMs() - lastCommitMs) >= commitIntervalMs
      // What is due is told with the next commit where one is under way.
      if (!done && (isOpen || ((!due || !commits.isEmpty()) && waitingLoad < eventsPerCommit))) continue
      await commit(waiting, lastHeader, newestTimestamp)
      waiting = []
      waitingLoad = 0
      lastCommitMs = clock.nowMs()
    }
    await commits.settle()
  } finally {
    stop.abort()
    await Promise.allSettled([commits.settle(), ...queue.map((range) => range.fetched)])
  }
}

/** What events weigh, in events of usual size. */
function loadOf(events: readonly DomainEvent[]): number {
  const payload = events.reduce((sum, event) => sum + payloadLength(event), 0)
  return Math.max(events.length, payload / payloadPerEvent)
}

/** Characters of an event that its contract does not bound. */
function payloadLength(event: DomainEvent): number {
  switch (event.kind) {
    case 'attestationMade':
      return event.attestation.data.length + event.attestation.indexingValue.length
    case 'schemaRegistered':
      return event.schema.rawText.length
    case 'undecodableLog':
      return event.data.length
    default:
      return 0
  }
}

/** How many events each part of so many has, so that none is left over that would be a commit of a few. */
function eventsOfParts(events: number): number {
  return Math.ceil(events / Math.max(1, Math.round(events / eventsPerCommit)))
}

/** null where all there is to index is near the head. */
async function startTally(source: EventSource, target: BackfillTarget, signal: AbortSignal) {
  if (!hasOldBlocks(target)) return null
  const timestampOf = (blockNumber: number) => fetchTimestamp(source, blockNumber, signal)
  return createRecordTally(source, target.fromBlock, timestampOf, signal)
}

async function fetchTimestamp(
  { client }: EventSource,
  blockNumber: number,
  signal: AbortSignal,
): Promise<number> {
  const [header] = await client.fetchHeaders(blockNumber, blockNumber, signal)
  return header?.timestamp ?? 0
}

/**
 * What a contract says that it made, and somebody has the log of, every endpoint must have that is asked for old logs. What came of
 * others until now cannot be told from an answer of a node that has forgotten, and is fetched again.
 */
async function assertKept(source: EventSource, log: ChainLog, signal: AbortSignal): Promise<void> {
  const hosts = await source.client.proveLog(log, signal)
  if (hosts.length === 0) return
  throw new InconsistentChainError(
    `${hosts.join(', ')} gave no log of block ${log.blockNumber}, which others have`,
    {
      retryable: true,
      facts: { hosts, blockNumber: log.blockNumber },
    },
  )
}

/** Whether blocks are to be indexed whose logs a pruned node may have forgotten. */
function hasOldBlocks({ fromBlock, headBlock }: BackfillTarget): boolean {
  return headBlock - fromBlock >= nearHeadBlocks
}

/**
 * How many blocks to fetch at once: those of several requests for logs where events are few, of a part of one where they are so dense
 * that it would bring more than a commit holds. Before the first range is there, nobody knows which: null.
 */
function rangeBlocks(requestBlocks: number, blocksPerEvent: number | null, blocksLeft: number): number {
  if (blocksPerEvent === null) {
    const isLong = blocksLeft > rangesInFlight * requestBlocks
    return isLong ? Math.ceil(requestBlocks / firstRangeShare) : requestBlocks
  }
  const requests = Math.floor((eventsPerRange * blocksPerEvent) / requestBlocks)
  if (requests >= 1) return requestBlocks * Math.min(requestsPerRangeMax, requests)
  return Math.min(requestBlocks, Math.ceil(eventsPerRangeMax * blocksPerEvent))
}

interface FetchedRange {
  readonly events: readonly DomainEvent[]
  readonly kinds: TalliedRange['kinds']
  /** The log of a record that its contract numbers; null where there is none, or no old blocks are to be indexed. */
  readonly firstRecord: ChainLog | null
  readonly firstHeader: BlockRef
  readonly lastHeader: BlockRef
  /** The time of the newest log; null where the range has none. */
  readonly lastTimestamp: UnixSeconds | null
}

async function fetchRange(
  source: EventSource,
  fromBlock: number,
  toBlock: number,
  target: BackfillTarget,
  signal: AbortSignal,
): Promise<FetchedRange> {
  const { headBlock, headTimestamp, lastBlock } = target
  const firstNear = Math.max(fromBlock, headBlock - nearHeadBlocks + 1)
  const wanted = new Set([fromBlock, ...blockNumbers(firstNear, toBlock), toBlock])
  const headers = await source.client.fetchHeadersOf([...wanted], signal)
  const [firstHeader, lastHeader] = [headers[0], headers.at(-1)]
  if (firstHeader === undefined || lastHeader === undefined)
    throw new RangeError(`no blocks from ${fromBlock} to ${toBlock}`)
  if (toBlock === lastBlock.number && lastHeader.hash !== lastBlock.hash) throw changedBlock(toBlock)
  const far =
    fromBlock < firstNear
      ? await fetchOwnLogs(source, fromBlock, Math.min(toBlock, firstNear - 1), signal)
      : []
  // A node may have a block and not yet its logs, or lag behind the one that told of the head: blocks so near the head have
  // their logs held against the headers, as above the final ones.
  const nearHeaders = headers.filter(({ number }) => number >= firstNear)
  const near = nearHeaders.length === 0 ? [] : await fetchHeadLogs(source, nearHeaders, signal)
  const logs = [...far, ...near]
  const at = { kind: 'latest', finalTimestamp: lastBlock.timestamp, headTimestamp } as const
  const [events, kinds] = await Promise.all([
    fetchEvents(source, logs, at, signal),
    hasOldBlocks(target) ? tallyLogs(source, logs, signal) : [],
    hasOldBlocks(target) ? compareRecords(source, logs, at, signal) : undefined,
  ])
  const firstRecord = hasOldBlocks(target) ? (far.find((log) => isNumbered(source, log)) ?? null) : null
  return {
    events,
    kinds,
    firstRecord,
    firstHeader,
    lastHeader,
    lastTimestamp: logs.at(-1)?.blockTimestamp ?? null,
  }
}

/** Ranges are fetched at different times, and perhaps from different endpoints: where two meet, they must be of one chain. */
function assertFollows(previous: BlockRef | null, next: BlockRef): void {
  if (previous === null || next.parentHash === previous.hash) return
  throw changedBlock(previous.number)
}

function changedBlock(blockNumber: number): InconsistentChainError {
  return new InconsistentChainError(
    `block ${blockNumber} is another one than a moment ago, though it is final`,
    {
      retryable: true,
      facts: { blockNumber },
    },
  )
}

interface BatchPlace extends Required<Pick<BlockBatch, 'fromBlock' | 'storedAt' | 'moreFollows'>> {
  /** The last block of the batch, where the index is to remember it. */
  readonly block: BlockRef | null
}

function createBatch({ toBlock, events }: EventsOfBlocks, { block, ...place }: BatchPlace): BlockBatch {
  return {
    ...place,
    checkpoint: { blockNumber: toBlock, timestamp: block?.timestamp ?? null },
    events,
    recentBlocks: block === null ? [] : [block],
    forgetBlocksBelow: toBlock,
  }
}
