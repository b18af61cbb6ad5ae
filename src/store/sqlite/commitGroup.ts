import { StoreUnavailableError } from '../../errors/storeErrors.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { BlockBatch } from '../indexWriter.ts'
import type { Connection } from './connection.ts'

/** How much may wait for one commit, and how long. */
export interface CommitGroupLimits {
  /** Events that a batch must have to wait for others: writing fewer takes no time that would be worth it. */
  readonly batchEvents: number
  /** Events that end a group. */
  readonly events: number
  /** Age that ends a group with the next batch. */
  readonly ageMs: number
  /** Time without another batch that ends a group. */
  readonly idleMs: number
}

/**
 * At 10,000,000 attestations a commit of 5,000 events writes six pages an event, twice; one of 50,000 a quarter of that. What a crash
 * loses of it is fetched again, which takes as long as it took.
 */
const limitsDefault: CommitGroupLimits = { batchEvents: 1_000, events: 50_000, ageMs: 30_000, idleMs: 1_000 }

/**
 * The transactions of a writing connection. Batches of a backfill that follow one another share one, their group: pages that each
 * of them touches are written once. A group is of one chain. Where it is rolled back, batches are gone that their indexer
 * takes for stored: it is told at the next of them, and reads from the database where the chain stands.
 */
export interface CommitGroup {
  /** Does something in a transaction of its own; an open group is committed before. `flushed`: whether it waits for the disk. */
  alone<Result>(work: () => Result, flushed?: boolean): Result
  /** Applies a batch as part of the chain's group, and commits that when nothing follows or it is as large or old as it may be. */
  together<Result>(chainId: ChainId, batch: GroupedBatch, work: () => Result): Result
  /** Does something small for a chain, which need not wait for the disk, as part of the group that is open, if there is one. */
  besides<Result>(chainId: ChainId, work: () => Result): Result
  /**
   * Makes sure that no batch of the chain was lost since it was opened.
   * @throws StoreUnavailableError, retryable
   */
  assertKept(chainId: ChainId): void
  /** Its indexer has read where the chain stands. */
  reopened(chainId: ChainId): void
  /** Commits what is open. */
  close(): void
}

export type GroupedBatch = Pick<BlockBatch, 'events' | 'moreFollows'>

export interface TransactionHooks {
  /** Before each piece of work, within its transaction. */
  onWork(): void
  /** Whatever was read or written in the transaction is not true any more. */
  onRollback(): void
}

/** How long what is written besides the group of another chain waits for it. */
const besidesAgeMaxMs = 3_000

export function createCommitGroup(
  connection: Connection,
  { onWork, onRollback }: TransactionHooks,
  limits: Partial<CommitGroupLimits> = {},
): CommitGroup {
  const { batchEvents, events: eventsMax, ageMs, idleMs } = { ...limitsDefault, ...limits }
  const lost = new Set<ChainId>()
  let open: { readonly chainId: ChainId; readonly sinceMs: number; events: number } | null = null
  let idle: NodeJS.Timeout | undefined

  /** Does a piece of the transaction that is open; when it fails, all of the transaction is rolled back. */
  function rollingBack<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      if (open !== null) lost.add(open.chainId)
      open = null
      onRollback()
      try {
        connection.exec('ROLLBACK')
      } catch {
        // SQLite has ended the transaction itself where the disk is full or failed.
      }
      throw error
    }
  }

  function commit(): void {
    clearTimeout(idle)
    if (open === null) return
    rollingBack(() => connection.exec('COMMIT'))
    open = null
  }

  /** Whoever comes next has no part in what fails here: the chain whose group it was is told. */
  function commitForOthers(): void {
    try {
      commit()
    } catch {
      // It is among the lost.
    }
  }

  function alone<Result>(work: () => Result, flushed = true): Result {
    commitForOthers()
    if (!flushed) connection.exec('PRAGMA synchronous = NORMAL')
    try {
      connection.exec('BEGIN IMMEDIATE')
      return rollingBack(() => {
        onWork()
        const result = work()
        connection.exec('COMMIT')
        return result
      })
    } finally {
      if (!flushed) connection.exec('PRAGMA synchronous = FULL')
    }
  }

  function together<Result>(chainId: ChainId, batch: GroupedBatch, work: () => Result): Result {
    if (open?.chainId !== chainId) {
      commitForOthers()
      connection.exec('BEGIN IMMEDIATE')
    }
    const result = rollingBack(() => {
      onWork()
      return work()
    })
    open ??= { chainId, sinceMs: performance.now(), events: 0 }
    open.events += batch.events.length
    const isFull = open.events >= eventsMax || performance.now() - open.sinceMs >= ageMs
    const waits = batch.moreFollows === true && batch.events.length >= batchEvents && !isFull
    clearTimeout(idle)
    if (waits) idle = setTimeout(commitForOthers, idleMs).unref()
    else commit()
    return result
  }

  function besides<Result>(chainId: ChainId, work: () => Result): Result {
    const joins =
      open !== null && (open.chainId === chainId || performance.now() - open.sinceMs < besidesAgeMaxMs)
    return joins ? rollingBack(work) : alone(work, false)
  }

  return {
    alone,
    together,
    besides,
    assertKept: (chainId) => {
      if (!lost.has(chainId)) return
      throw new StoreUnavailableError('blocks could not be written to the disk and are indexed again', {
        retryable: true,
        facts: { chainId },
      })
    },
    reopened: (chainId) => void lost.delete(chainId),
    close: commit,
  }
}
