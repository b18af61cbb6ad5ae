import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
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
 * At 10,000,000 attestations a commit of 5,000 events writes six pages an event, twice; one of 50,000 a quarter of
 * that. Events that a crash loses are fetched again, which takes as long as the first time.
 */
const limitsDefault: CommitGroupLimits = { batchEvents: 1_000, events: 50_000, ageMs: 30_000, idleMs: 1_000 }

/**
 * The transactions of a writing connection. Consecutive batches of a backfill share a transaction, their group: a page
 * that each of them touches is written once. A group is of one chain. If a group is rolled back, batches are gone that
 * their indexer takes for stored. The next batch of the chain then fails, and the indexer reads the place of the chain
 * from the database. Callers wait for one call before they make the next one.
 */
export interface CommitGroup {
  /**
   * Runs work in a transaction of its own; an open group is committed before. `flushed`: whether it waits for the disk.
   */
  alone<Result>(work: () => Promise<Result>, flushed?: boolean): Promise<Result>
  /** Applies a batch as part of the chain's group. Commits the group when nothing follows, or at its limits. */
  together<Result>(chainId: ChainId, batch: GroupedBatch, work: () => Promise<Result>): Promise<Result>
  /** Runs small work for a chain, which need not wait for the disk, as part of the open group if there is one. */
  besides<Result>(chainId: ChainId, work: () => Promise<Result>): Promise<Result>
  /**
   * Makes sure that no batch of the chain was lost since it was opened.
   * @throws StoreUnavailableError, retryable
   */
  assertKept(chainId: ChainId): void
  /** Its indexer has read the place of the chain. */
  reopened(chainId: ChainId): void
  /** Commits the open group. */
  close(): Promise<void>
}

interface GroupedBatch {
  readonly events: readonly unknown[]
  readonly moreFollows?: boolean
}

export interface GroupHooks {
  /** Runs work after everything that was asked for before: an idle group must not end in the middle of other work. */
  enqueue(work: () => Promise<void>): Promise<void>
  /** Called when everything that was read or written since the last commit is void. */
  onRollback(): void
  /** Called after each commit. */
  onCommit(): void
}

/** How long small work waits for the group of another chain. */
const besidesAgeMaxMs = 3_000

export function createCommitGroup(
  connection: Connection,
  { enqueue, onRollback, onCommit }: GroupHooks,
  limits: Partial<CommitGroupLimits> = {},
): CommitGroup {
  const { batchEvents, events: eventsMax, ageMs, idleMs } = { ...limitsDefault, ...limits }
  const lost = new Set<ChainId>()
  /** Chains without a batch since they were opened: the first one waits for no other, so that it is answered early. */
  const fresh = new Set<ChainId>()
  let open: { readonly chainId: ChainId; readonly sinceMs: number; events: number } | null = null
  let idle: NodeJS.Timeout | undefined

  /** Runs a piece of the open transaction; when it fails, the whole transaction is rolled back. */
  async function rollingBack<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (open !== null) lost.add(open.chainId)
      open = null
      onRollback()
      try {
        connection.exec('ROLLBACK')
      } catch {
        // SQLite has ended the transaction itself if the disk is full or failed.
      }
      throw error
    }
  }

  async function commit(): Promise<void> {
    clearTimeout(idle)
    if (open === null) return
    await rollingBack(() => connection.exec('COMMIT'))
    open = null
    onCommit()
  }

  /**
   * Commits before the work of another caller, which has no part in a failure: the next batch of the group's chain
   * reports it.
   */
  async function commitForOthers(): Promise<void> {
    try {
      await commit()
    } catch {
      // The chain is among the lost ones.
    }
  }

  async function alone<Result>(work: () => Promise<Result>, flushed = true): Promise<Result> {
    await commitForOthers()
    if (!flushed) connection.exec('PRAGMA synchronous = NORMAL')
    try {
      connection.exec('BEGIN IMMEDIATE')
      const done = await rollingBack(async () => {
        const result = await work()
        connection.exec('COMMIT')
        return result
      })
      onCommit()
      return done
    } finally {
      if (!flushed) connection.exec('PRAGMA synchronous = FULL')
    }
  }

  async function together<Result>(
    chainId: ChainId,
    batch: GroupedBatch,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (open?.chainId !== chainId) {
      await commitForOthers()
      connection.exec('BEGIN IMMEDIATE')
    }
    clearTimeout(idle)
    const result = await rollingBack(work)
    open ??= { chainId, sinceMs: performance.now(), events: 0 }
    open.events += batch.events.length
    const isFull = open.events >= eventsMax || performance.now() - open.sinceMs >= ageMs
    const isFirst = fresh.delete(chainId)
    const waits = batch.moreFollows === true && batch.events.length >= batchEvents && !isFull && !isFirst
    if (waits) idle = setTimeout(() => void enqueue(commitForOthers), idleMs).unref()
    else await commit()
    return result
  }

  function besides<Result>(chainId: ChainId, work: () => Promise<Result>): Promise<Result> {
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
    reopened(chainId) {
      lost.delete(chainId)
      fresh.add(chainId)
    },
    close: commit,
  }
}
