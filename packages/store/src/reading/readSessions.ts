import type { TakeTurn } from '@attestry/core/model/threadTurns.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { Reads } from '../port/reads.ts'
import type { CountRuns } from './queryCounts.ts'
import type { ReadPlans, ReadSession, StatementSession } from './session.ts'

/** The sessions that a database gives its reads. Every rejection is an error of the store's family. */
export interface ReadSessions {
  indexVersion: IndexReader['indexVersion']
  /** Runs a read of one statement. */
  readOnce<Result>(work: (session: StatementSession) => Promise<Result>): Promise<Result>
  /** Runs a read that sees one state of the index. */
  read<Result>(plans: ReadPlans, work: (session: ReadSession) => Promise<Result>): Promise<Result>
  readonly countLong: CountRuns['countLong']
  /** Resolves in a turn of the event loop of its own; null if one read keeps no other waiting. */
  readonly turn: TakeTurn | null
  /** Streams from one state of the index, on a connection of its own, for as long as the consumer takes. */
  stream<Item>(work: (reads: Reads) => AsyncGenerator<Item>): AsyncGenerator<Item>
  close(): Promise<void>
}
