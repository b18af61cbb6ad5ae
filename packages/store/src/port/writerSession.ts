import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { BlockBatch, ChainSurvey } from '@attestry/core/index/indexWriter.ts'
import type { Tables } from './tables.ts'

/** Work within a transaction. */
export type Work<Result> = (tables: Tables) => Promise<Result>

/**
 * The transactions of one writer and its claims on chains. Transactions run one after the other, in the order in which
 * they were asked for. Each either happens as a whole or not at all. Rejects with the errors of `IndexWriter`.
 */
export interface WriterSession {
  /** See `IndexWriter.claimChain`. */
  claim(chainId: ChainId): Promise<boolean>
  /** See `IndexWriter.surveyChains`. */
  survey(chainIds: readonly ChainId[]): Promise<readonly ChainSurvey[]>
  release(chainId: ChainId): Promise<void>
  read<Result>(work: Work<Result>): Promise<Result>
  /** Claims a chain and runs the work that reads its place: losses before no longer matter. */
  open<Result>(chainId: ChainId, work: Work<Result>): Promise<Result>
  /**
   * Writes to a chain. `batch` is given for a batch of blocks, which may share a commit with those that follow.
   * `onKept` is called before the next transaction starts, when the work has succeeded: with the commit, or as a part
   * of one that is still to come. In the latter case the session calls `onRollback` (see `OpenWriterSession`) where
   * that fails.
   * @throws StoreUnavailableError, retryable, if the chain has to be opened again first.
   */
  write<Result>(chainId: ChainId, work: Work<Result>, options: WriteOptions): Promise<Result>
  /** Writes something small that is written again soon: a crash of the machine may lose it. */
  writeBesides<Result>(chainId: ChainId, work: Work<Result>): Promise<Result>
  close(): Promise<void>
}

export interface WriteOptions {
  readonly batch: BatchSize | null
  readonly onKept: () => void
}

export type BatchSize = Pick<BlockBatch, 'events' | 'moreFollows'>

/** Opens a session. `onRollback` is called when work that was kept is rolled back. */
export type OpenWriterSession = (onRollback: () => void) => WriterSession

/** Runs asynchronous work one piece after the other, in the order of the calls, whether the pieces fail or not. */
export function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
