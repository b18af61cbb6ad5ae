import { setImmediate } from 'node:timers/promises'
import type { RememberedBlock } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { unixMilliseconds, type UnixSeconds } from '../model/time.ts'
import type { ApplySummary, BlockBatch, IndexWriter } from '../index/indexWriter.ts'
import { createCommitQueue } from './commitQueue.ts'
import type { BackfillTarget, FetchedRange } from './fetchRange.ts'
import type { RecordState } from './recordCheck.ts'
import { splitAtBlocks } from './splitAtBlocks.ts'

/** Characters of payload that count as one event: where records are large, ranges and commits hold fewer of them. */
const payloadPerEvent = 2_000
/**
 * Load that fills a commit. Every commit costs some statements whatever its size; while it gathers, endpoints wait. Commits
 * half as large made a dense backfill 8 % slower into SQLite and more into PostgreSQL, and spared no memory.
 */
const eventsPerCommit = 5_000
/**
 * Batches handed to the store at the same time: the next one is ready when the store has applied the last. All are in
 * memory.
 */
const commitsInFlight = 2
/**
 * Longest time that fetched events wait for more, so that a crash on a sparse chain repeats little. The first ones do
 * not wait: they are answered while the rest is fetched.
 */
const commitIntervalMs = 2_000

/** The result of a commit of the backfill. */
export interface BackfillCommit {
  readonly summary: ApplySummary
  readonly blockNumber: number
  /** The blocks that the index remembers of the commit, ascending. */
  readonly remembered: readonly RememberedBlock[]
  /** Remembered blocks below this number are forgotten. */
  readonly forgetBlocksBelow: number
  /** The time of that block or of the newest indexed log; null while neither is known. */
  readonly timestamp: UnixSeconds | null
}

/** The fetched events of a backfill that are not yet committed. */
export interface PendingEvents {
  /** Adds the events of the next range. `load` is that of `eventLoad`. */
  add(range: Pick<FetchedRange, 'toBlock' | 'events' | 'remembered' | 'lastTimestamp'>, load: number): void
  /** Whether to commit before the next range is added. */
  isDue(records: RecordState): boolean
  /**
   * Hands all added events to the store, and resolves when the store has room for the next.
   * @throws the error of an earlier commit, or the reason of an abort.
   */
  commit(): Promise<void>
  /**
   * Resolves when no commit is in flight.
   * @throws the error of the first commit that failed.
   */
  settle(): Promise<void>
}

export function createPendingEvents(
  {
    chainId,
    fromBlock,
    lastBlock,
    oldestBlock,
  }: Pick<BackfillTarget, 'chainId' | 'fromBlock' | 'lastBlock' | 'oldestBlock'>,
  writer: Pick<IndexWriter, 'applyBlocks'>,
  onCommit: (commit: BackfillCommit) => void,
  clock: Clock,
  signal: AbortSignal,
): PendingEvents {
  /** While the store, in another thread or process, applies a batch, the next ranges are fetched. */
  const commits = createCommitQueue(commitsInFlight)
  let gathered = nothingGathered()
  let nextBlock = fromBlock
  let oldest = oldestBlock
  let newestTimestamp: UnixSeconds | null = null
  let lastCommitMs = clock.nowMs()
  let areFirst = true

  /** Not async, so that a pending commit does not hold its events: a writer in another thread has its own copy. */
  function applyBatch(batch: BlockBatch, place: Omit<BackfillCommit, 'summary'>): Promise<void> {
    return writer.applyBlocks(chainId, batch).then((summary) => onCommit({ summary, ...place }))
  }

  /**
   * Commits one part. The index remembers blocks without a gap: where those of the part do not follow the ones that are
   * remembered, the latter are forgotten.
   */
  async function commitPart(toBlock: number, ofPart: readonly DomainEvent[]): Promise<void> {
    const blocks = lastRun(
      gathered.remembered.filter(({ number }) => number >= nextBlock && number <= toBlock),
    )
    const [first] = blocks
    const last = blocks.at(-1)
    const block = last?.number === toBlock ? last : null
    const kept = block === null ? [] : blocks
    if (block === null) oldest = null
    else if (oldest === null || first?.number !== nextBlock) oldest = first?.number ?? null
    const timestamp = block?.timestamp ?? newestTimestamp
    const forgetBlocksBelow = oldest ?? toBlock
    const batch: BlockBatch = {
      fromBlock: nextBlock,
      checkpoint: { blockNumber: toBlock, timestamp: block?.timestamp ?? null },
      events: ofPart,
      recentBlocks: kept,
      forgetBlocksBelow,
      storedAt: unixMilliseconds(clock.nowMs()),
      moreFollows: toBlock < lastBlock.number,
    }
    const place = { blockNumber: toBlock, remembered: kept, forgetBlocksBelow, timestamp }
    await commits.add(() => applyBatch(batch, place))
    nextBlock = toBlock + 1
  }

  return {
    add(range, rangeLoad) {
      gathered.toBlock = range.toBlock
      for (const event of range.events) gathered.events.push(event)
      gathered.load += rangeLoad
      gathered.remembered.push(...range.remembered)
      newestTimestamp = range.lastTimestamp ?? newestTimestamp
    },
    isDue: (records) =>
      isCommitDue({
        isLast: gathered.toBlock === lastBlock.number,
        records,
        load: gathered.load,
        waitedMs:
          areFirst && gathered.events.length > 0 ? commitIntervalMs : Math.abs(clock.nowMs() - lastCommitMs),
        isStoreIdle: commits.isEmpty(),
      }),
    async commit() {
      const { toBlock, events } = gathered
      if (toBlock === null) return await commits.settle()
      areFirst &&= events.length === 0
      for (const part of splitAtBlocks(events, toBlock, eventsPerPart(events.length))) {
        await commitPart(part.toBlock, part.events)
        // Let the process take answers that arrived meanwhile, and send the next requests, before the next commit.
        await setImmediate()
        signal.throwIfAborted()
      }
      gathered = nothingGathered()
      lastCommitMs = clock.nowMs()
    },
    settle: commits.settle,
  }
}

/** The events and blocks of the ranges since the last commit. */
interface Gathered {
  /** The last block of the ranges; null before the first of them. */
  toBlock: number | null
  readonly events: DomainEvent[]
  load: number
  readonly remembered: RememberedBlock[]
}

function nothingGathered(): Gathered {
  return { toBlock: null, events: [], load: 0, remembered: [] }
}

/** The last blocks, as far as they follow one another. */
function lastRun(blocks: readonly RememberedBlock[]): readonly RememberedBlock[] {
  const gap = blocks.findLastIndex((block, i) => i > 0 && blocks[i - 1]?.number !== block.number - 1)
  return blocks.slice(Math.max(0, gap))
}

interface Waiting {
  /** Whether the last range of the backfill was added. */
  readonly isLast: boolean
  readonly records: RecordState
  readonly load: number
  /** Milliseconds since the last commit. */
  readonly waitedMs: number
  /** Whether no commit is in flight. */
  readonly isStoreIdle: boolean
}

/**
 * Whether waiting events are committed now. Four cases:
 * 1. They end with the last block of the backfill: yes.
 * 2. A record of the last block's time is expected: no, since the next range may show that its log was omitted.
 * 3. They fill a commit: yes.
 * 4. They have waited long enough: yes, unless a commit is in flight, which they join next, or the records are
 *    unproved.
 */
export function isCommitDue({ isLast, records, load, waitedMs, isStoreIdle }: Waiting): boolean {
  if (isLast) return true
  if (records === 'recordExpected') return false
  if (load >= eventsPerCommit) return true
  return records === 'complete' && waitedMs >= commitIntervalMs && isStoreIdle
}

/** The weight of events, in events of usual size. */
export function eventLoad(events: readonly DomainEvent[]): number {
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

/** Events of each part of a commit: evenly many, so that no part of a few events is left over. */
function eventsPerPart(events: number): number {
  return Math.ceil(events / Math.max(1, Math.round(events / eventsPerCommit)))
}
