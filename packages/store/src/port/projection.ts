import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { Attestation, ProtocolName } from '@attestry/core/model/records.ts'
import type { HeldRecords, SubjectCount } from '@attestry/core/index/indexWriter.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { LayoutWords } from '../layout/layoutWords.ts'
import type { ViewWords } from '../layout/sqlViews.ts'
import type { ViewComments } from '../layout/viewComments.ts'
import type { OwnTable } from '../layout/tables.ts'
import type { PastSessions } from '../reading/sessionsAsOf.ts'
import type { ReadSession, StatementSession } from '../reading/session.ts'
import type { TakeTurn } from '@attestry/core/model/threadTurns.ts'
import type { Reads } from './reads.ts'
import type { Tables } from './tables.ts'

/** A table whose rows follow from other tables: all of its columns, its key first, in one select. */
export interface DerivedTable {
  readonly table: string
  readonly columns: readonly string[]
  readonly select: string
}

/** An index of a projection. */
export interface ProjectedIndex {
  /** The table, the columns in brackets, and the condition of a partial index, in SQL. */
  readonly on: string
  readonly isUnique?: boolean
}

/**
 * Tables beside those of the index that follow the events of its chains. The writer of the index calls the projection
 * within each of its transactions, so that both always stand at the same block and one snapshot reads both. An audit
 * makes the tables anew from the stored events and compares them; a repair puts them in place.
 */
export interface Projection {
  /** Unique among the projections of a program, for messages. */
  readonly name: string
  /** The tables, each with a column `chain_id`. All tables of a database have different names. */
  readonly tables: readonly OwnTable[]
  /** Returns the indexes of the tables, by name. */
  indexes(words: LayoutWords): Readonly<Record<string, ProjectedIndex>>
  /** Returns the selects of views for SQL, by the names of the views. */
  viewSelects(words: ViewWords): Readonly<Record<string, string>>
  /** The comments on these views, without an apostrophe. */
  readonly viewComments: Readonly<Record<string, ViewComments>>
  /**
   * A table of texts that are searched: its columns begin with the id of the text, and `text` is one of them. Each
   * database gives it an index of trigrams (`Dialect.idsWithText`). An index without the table is given it by the select.
   */
  readonly searched?: DerivedTable & { readonly text: string }
  /** The tables of counts. The builder makes them of the other tables after all events. */
  readonly countTables: readonly DerivedTable[]

  /**
   * Begins to apply events of a chain, ascending by position, before the index writes a row of them.
   * @returns null if no event concerns the projection.
   */
  begin(tables: Tables, chain: ChainRow, events: readonly DomainEvent[]): Promise<Following | null>
  /** Reverts all events above a block of at least 0, while the index still has their rows. */
  revert(tables: Tables, chain: ChainRow, toBlock: number): Promise<void>

  /** The projection's records that a contract numbers; absent if there is nothing of the kind. */
  readonly subjects?: ProjectedSubjects

  /** Opens the reads that the projection adds to a reader of the index. */
  openReads(sessions: ProjectionSessions): object
  /** Opens those of them that it answers as of a moment. `reader` reads as of the moment. */
  openPastReads(sessions: PastSessions, reader: PastReader): object
}

/** Numbered subjects of attestations, for the comparison with the counters of their contract. */
export interface ProjectedSubjects {
  readonly protocol: ProtocolName
  count(reads: Reads, chainId: ChainId): Promise<HeldRecords['subjects'][number]>
  /** As `IndexWriter.listSubjectCounts`. */
  listCounts(reads: Reads, chainId: ChainId, from: LocalId, limit: number): Promise<readonly SubjectCount[]>
}

/** Events of a transaction that a projection follows. */
export interface Following {
  /**
   * The events with what the index holds of them beyond their logs: recipients that follow from earlier events. As many
   * as were given, in their order.
   */
  readonly events: readonly DomainEvent[]
  /** Writes the rows of the projection, after the index has written those of the events. */
  write(applied: AppliedRows): Promise<void>
}

/** The rows of records that a transaction makes, and the older ones that it revokes. */
export interface AppliedRows {
  readonly attestations: readonly { readonly attestation: Attestation; readonly revocation: object | null }[]
  /** Ids of rows of attestations. */
  readonly revocations: readonly { readonly id: bigint }[]
}

/** The sessions in which a projection reads the newest state. */
export interface ProjectionSessions {
  read<Result>(work: (session: ReadSession) => Promise<Result>): Promise<Result>
  /** Runs a read of one statement. */
  readOnce<Result>(work: (session: StatementSession) => Promise<Result>): Promise<Result>
  /** Rows that a slice may pass over before it ends early. */
  readonly sliceRowsMax: number
  readonly turn: TakeTurn | null
}
